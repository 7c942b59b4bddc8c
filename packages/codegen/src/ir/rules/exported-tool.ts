import type { ExportedToolValue } from '@toolgen/dsl'
import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import type { TextPart } from '../../load/loaded-design.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { shapeOf } from '../../schema/shape/shape.js'
import { alternativesOf } from '../../schema/shape/shape-steps.js'
import { templateFaults } from './texts.js'

/** Where the parts of what is said of an exported tool stand. */
export interface ExportedToolPlaces {
  readonly placeOf: (field: keyof ExportedToolValue) => SourcePlace
  readonly templatePart: (part: TextPart) => SourcePlace
}

/** What is said of an exported tool fits together and fits the tool. */
export function exportedToolFaults(
  name: string,
  said: ExportedToolValue,
  tool: { readonly payload: Schema; readonly result: Schema },
  defs: Readonly<Record<string, Schema>>,
  { placeOf, templatePart }: ExportedToolPlaces,
): readonly Diagnostic[] {
  const template = said.template === undefined ? undefined : { text: said.template, field: 'template' }
  return [
    ...(template === undefined
      ? []
      : templateFaults({ ...template, fills: 'payload', placeOf: templatePart }, tool.payload, defs)),
    ...(template !== undefined && said.text !== undefined ? [bothMessages(name, placeOf('template'))] : []),
    ...(said.prose === true && !takesText(tool.result, defs) ? [noProse(name, placeOf('prose'))] : []),
  ]
}

/** Whether some text that nobody foresaw can be a value of the schema. */
function takesText(schema: Schema, defs: Readonly<Record<string, Schema>>): boolean {
  return alternativesOf(shapeOf(schema, defs), defs).some(({ kind }) => kind === 'string' || kind === 'unknown')
}

function bothMessages(tool: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2073',
    severity: 'error',
    message: `\`${tool}\` has a \`text\` and a \`template\` for the first message of its run.`,
    place,
    next: 'Keep one of them: `text` stands as it is, `template` is filled from the payload.',
  }
}

function noProse(tool: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2074',
    severity: 'error',
    message: `\`${tool}\` lets prose be its result, but its result cannot be a text.`,
    place,
    next: 'Remove `prose`, or let the result schema take a text.',
  }
}
