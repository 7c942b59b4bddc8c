import type { ToolsetExport } from '@toolgen/dsl'
import { type Diagnostic, nearest, type SourceLocation } from '../diagnostics/diagnostic.js'
import type { TextPart } from '../load/loaded-design.js'
import type { Schema } from '../schema/json-schema.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import { alternativesOf, stepInto } from '../schema/shape-parts.js'

/** A description is what a model chooses by: it may not be empty. */
export function descriptionFaults(what: string, description: string, location: SourceLocation): readonly Diagnostic[] {
  if (description.trim() !== '') return []
  return [
    {
      code: 'TG2040',
      severity: 'error',
      message: `The description of ${what} is empty.`,
      location,
      next: 'Say in a sentence what it does; models and people choose by it.',
    },
  ]
}

/** A template names fields that exist. */
export function templateFaults(
  template: {
    readonly text: string
    readonly field: string
    readonly fills: string
    readonly locationOf: (part: TextPart) => SourceLocation
  },
  schema: Schema,
  defs: Readonly<Record<string, Schema>>,
): readonly Diagnostic[] {
  const { text, field, fills, locationOf } = template
  return hintFaults(text, schema, defs).map((fault) =>
    fault.kind === 'malformed'
      ? malformed(field, locationOf(fault))
      : unknownField(fault, field, fills, locationOf(fault)),
  )
}

function malformed(field: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG2042',
    severity: 'error',
    message: `The template \`${field}\` has braces that do not pair.`,
    location,
    next: 'Write each field as `{{name}}`.',
  }
}

function unknownField(
  fault: Extract<HintFault, { kind: 'unknown' }>,
  field: string,
  fills: string,
  location: SourceLocation,
): Diagnostic {
  const near = nearest(fault.field, fault.allowed)
  const fields = fault.allowed.slice(0, 8).join(', ')
  return {
    code: 'TG2041',
    severity: 'error',
    message: `\`${field}\` names \`${fault.path}\`, but the ${fills} has no field \`${fault.field}\` there.`,
    location,
    next:
      near[0] !== undefined
        ? `Did you mean \`${near[0]}\`?`
        : fields === ''
          ? 'Remove it.'
          : `The fields are: ${fields}.`,
    ...(near.length === 0 ? {} : { near }),
  }
}

type Fault =
  | { readonly kind: 'malformed' }
  /** `allowed`: the fields that stand at the place where the path breaks off. */
  | { readonly kind: 'unknown'; readonly path: string; readonly field: string; readonly allowed: readonly string[] }

/** What is wrong with a hint template, and which of its characters are. */
type HintFault = Fault & { readonly start: number; readonly end: number }

/**
 * Checks a template such as `Order {{id}} is {{customer.name}}` against the schema of the values that fill it.
 */
export function hintFaults(
  template: string,
  schema: Schema,
  defs: Readonly<Record<string, Schema>>,
): readonly HintFault[] {
  const faults: HintFault[] = []
  const rest = template.replace(/\{\{([^{}]*)\}\}/g, (whole, inside: string, start: number) => {
    const path = inside.trim()
    const fault: Fault | undefined = path === '' ? { kind: 'malformed' } : brokenStep(path, shapeOf(schema, defs), defs)
    if (fault !== undefined) faults.push({ ...fault, start, end: start + whole.length })
    // What stands around keeps its place, and no braces come together that were apart.
    return ' '.repeat(whole.length)
  })
  const stray = /\{\{|\}\}/.exec(rest)
  return stray === null ? faults : [...faults, { kind: 'malformed', start: stray.index, end: stray.index + 2 }]
}

function brokenStep(path: string, root: Shape, defs: Readonly<Record<string, Schema>>): Fault | undefined {
  let current: readonly Shape[] = [root]
  for (const field of path.split('.')) {
    const alternatives = current.flatMap((shape) => alternativesOf(shape, defs))
    const next = alternatives.flatMap((shape) => stepInto(shape, field))
    if (next.length === 0) return { kind: 'unknown', path, field, allowed: alternatives.flatMap(namesIn) }
    current = next
  }
  return undefined
}

function namesIn(shape: Shape): readonly string[] {
  return shape.kind === 'object' ? shape.fields.map(({ name }) => name) : []
}

/** Where the parts of what is said of an exported tool stand. */
interface ExportedToolLocations {
  readonly locationOf: (field: keyof ToolsetExport['tools'][string]) => SourceLocation
  readonly templatePart: (part: TextPart) => SourceLocation
}

/** What is said of an exported tool fits together and fits the tool. */
export function exportedToolFaults(
  name: string,
  said: ToolsetExport['tools'][string],
  tool: { readonly payload: Schema; readonly result: Schema },
  defs: Readonly<Record<string, Schema>>,
  { locationOf, templatePart }: ExportedToolLocations,
): readonly Diagnostic[] {
  const template = said.template === undefined ? undefined : { text: said.template, field: 'template' }
  return [
    ...(template === undefined
      ? []
      : templateFaults({ ...template, fills: 'payload', locationOf: templatePart }, tool.payload, defs)),
    ...(template !== undefined && said.text !== undefined ? [bothMessages(name, locationOf('template'))] : []),
    ...(said.prose === true && !takesText(tool.result, defs) ? [noProse(name, locationOf('prose'))] : []),
  ]
}

/** Whether some text that nobody foresaw can be a value of the schema. */
function takesText(schema: Schema, defs: Readonly<Record<string, Schema>>): boolean {
  return alternativesOf(shapeOf(schema, defs), defs).some(({ kind }) => kind === 'string' || kind === 'unknown')
}

function bothMessages(tool: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG2073',
    severity: 'error',
    message: `\`${tool}\` has a \`text\` and a \`template\` for the first message of its run.`,
    location,
    next: 'Keep one of them: `text` stands as it is, `template` is filled from the payload.',
  }
}

function noProse(tool: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG2074',
    severity: 'error',
    message: `\`${tool}\` lets prose be its result, but its result cannot be a text.`,
    location,
    next: 'Remove `prose`, or let the result schema take a text.',
  }
}

/** A value of the design that JSON cannot carry. */
export function notJson(field: string, message: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG2005',
    severity: 'error',
    message: `\`${field}\` must be plain JSON: ${message}.`,
    location,
    next: 'Give values that JSON can carry.',
  }
}
