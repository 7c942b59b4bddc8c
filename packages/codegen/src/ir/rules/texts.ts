import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import { nearest } from '../../diagnostics/near.js'
import type { TextPart } from '../../load/loaded-design.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { type HintFault, hintFaults } from './hint-template.js'

/** A description is what a model chooses by: it may not be empty. */
export function descriptionFaults(what: string, description: string, place: SourcePlace): readonly Diagnostic[] {
  if (description.trim() !== '') return []
  return [
    {
      code: 'TG2040',
      severity: 'error',
      message: `The description of ${what} is empty.`,
      place,
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
    readonly placeOf: (part: TextPart) => SourcePlace
  },
  schema: Schema,
  defs: Readonly<Record<string, Schema>>,
): readonly Diagnostic[] {
  const { text, field, fills, placeOf } = template
  return hintFaults(text, schema, defs).map((fault) =>
    fault.kind === 'malformed' ? malformed(field, placeOf(fault)) : unknownField(fault, field, fills, placeOf(fault)),
  )
}

function malformed(field: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2042',
    severity: 'error',
    message: `The template \`${field}\` has braces that do not pair.`,
    place,
    next: 'Write each field as `{{name}}`.',
  }
}

function unknownField(
  fault: Extract<HintFault, { kind: 'unknown' }>,
  field: string,
  fills: string,
  place: SourcePlace,
): Diagnostic {
  const near = nearest(fault.field, fault.allowed)
  const fields = fault.allowed.slice(0, 8).join(', ')
  return {
    code: 'TG2041',
    severity: 'error',
    message: `\`${field}\` names \`${fault.path}\`, but the ${fills} has no field \`${fault.field}\` there.`,
    place,
    next:
      near[0] !== undefined
        ? `Did you mean \`${near[0]}\`?`
        : fields === ''
          ? 'Remove it.'
          : `The fields are: ${fields}.`,
    ...(near.length === 0 ? {} : { near }),
  }
}
