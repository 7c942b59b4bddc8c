import type { ToolsetExport } from '@toolgen/dsl'
import { type Diagnostic, errorAt, type SourceLocation } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import type { TextPart } from '../load/source-positions.js'
import type { Defs, Schema } from '../schema/json-schema.js'
import { shapeOf } from '../schema/read-shape.js'
import type { Shape } from '../schema/shape.js'
import { alternativesOf, stepInto } from '../schema/shape-parts.js'

export function descriptionErrors(what: string, text: string, locationOf: () => SourceLocation): readonly Diagnostic[] {
  if (text.trim() !== '') return []
  const next = 'Write one sentence. Models and people choose tools by their descriptions.'
  return [errorAt(locationOf(), 'TG2040', `The description of ${what} is empty.`, next)]
}

export function templateErrors(
  template: {
    readonly text: string
    readonly field: string
    readonly fills: string
    readonly locationOf: (part: TextPart) => SourceLocation
  },
  schema: Schema,
  defs: Defs,
): readonly Diagnostic[] {
  const { text, field, fills, locationOf } = template
  return hintIssues(text, schema, defs).map((issue) => {
    if (issue.kind === 'malformed') {
      const message = `The template \`${field}\` has unmatched braces.`
      return errorAt(locationOf(issue), 'TG2042', message, 'Write each field as `{{name}}`.')
    }
    const fields = issue.allowed.slice(0, 8).join(', ')
    const message = `\`${field}\` contains \`{{${issue.path}}}\`, but the ${fills} has no field \`${issue.field}\` there.`
    const otherwise = fields === '' ? 'Remove the placeholder.' : `Known fields: ${fields}.`
    return unknownNameAt(locationOf(issue), 'TG2041', message, issue.field, issue.allowed, otherwise)
  })
}

type Issue =
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown'; readonly path: string; readonly field: string; readonly allowed: readonly string[] }

type HintIssue = Issue & { readonly start: number; readonly end: number }

export function hintIssues(template: string, schema: Schema, defs: Defs): readonly HintIssue[] {
  const issues: HintIssue[] = []
  const rest = template.replace(/\{\{([^{}]*)\}\}/g, (whole, inside: string, start: number) => {
    const path = inside.trim()
    const issue: Issue | undefined = path === '' ? { kind: 'malformed' } : brokenStep(path, shapeOf(schema, defs), defs)
    if (issue !== undefined) issues.push({ ...issue, start, end: start + whole.length })
    // Replaces the placeholder with spaces, so that later positions stay the same and braces around it do not become adjacent.
    return ' '.repeat(whole.length)
  })
  const stray = /\{\{|\}\}/.exec(rest)
  return stray === null ? issues : [...issues, { kind: 'malformed', start: stray.index, end: stray.index + 2 }]
}

function brokenStep(path: string, root: Shape, defs: Defs): Issue | undefined {
  let current: readonly Shape[] = [root]
  for (const field of path.split('.')) {
    const alternatives = current.flatMap((shape) => alternativesOf(shape, defs))
    const next = alternatives.flatMap((shape) => stepInto(shape, field))
    if (next.length === 0) {
      const allowed = alternatives.flatMap((shape) =>
        shape.kind === 'object' ? shape.fields.map(({ name }) => name) : [],
      )
      return { kind: 'unknown', path, field, allowed }
    }
    current = next
  }
  return undefined
}

export function exportedToolErrors(
  name: string,
  options: ToolsetExport['tools'][string],
  tool: { readonly payload: Schema; readonly result: Schema },
  defs: Defs,
  locations: {
    readonly locationOf: (field: string) => SourceLocation
    readonly templatePart: (part: TextPart) => SourceLocation
  },
): readonly Diagnostic[] {
  const { template, text, prose } = options
  const found: Diagnostic[] = []
  if (template !== undefined) {
    const locationOf = locations.templatePart
    found.push(
      ...templateErrors({ text: template, field: 'template', fills: 'payload', locationOf }, tool.payload, defs),
    )
    if (text !== undefined) {
      const message = `\`${name}\` has both \`text\` and \`template\` for the first message of its run.`
      const next = 'Keep one of them: `text` is sent unchanged, `template` is filled from the payload.'
      found.push(errorAt(locations.locationOf('template'), 'TG2073', message, next))
    }
  }
  const acceptsProse = alternativesOf(shapeOf(tool.result, defs), defs).some(
    ({ kind }) => kind === 'string' || kind === 'unknown',
  )
  if (prose === true && !acceptsProse) {
    const message = `\`${name}\` has \`prose\`, but its result schema does not allow a string.`
    const next = 'Remove `prose`, or allow a string in the result schema.'
    found.push(errorAt(locations.locationOf('prose'), 'TG2074', message, next))
  }
  return found
}

export function notJson(field: string, message: string, location: SourceLocation): Diagnostic {
  return errorAt(
    location,
    'TG2005',
    `\`${field}\` must be plain JSON: ${message}.`,
    'Use only strings, numbers, booleans, null, arrays and objects.',
  )
}
