import { pointerOf } from '@toolgen/runtime/schema'
import { type Diagnostic, errorAt, note, warning } from '../diagnostics/diagnostic.js'
import type { TextLoss } from '../schema/json-losses.js'
import { atPointer, type SchemaDiagnostic } from '../schema/json-schema.js'
import type { PartKeys, PartProblem } from './openapi-parts.js'
import type { ImpossibleVariant } from './openapi-settled.js'
import type { ToolSource } from './tool-source.js'

export const openApiDocument: ToolSource = {
  subject: 'The document',
  fix: 'Correct the document and import again',
  rename: 'fromOpenApi(toolset, { rename: { tool: "name" } })',
}

export interface PartDiagnostic {
  readonly diagnostic: Diagnostic
  readonly keys: PartKeys
}

export function operationLeftOut(operation: string, why: string): Diagnostic {
  const next = `${openApiDocument.fix}, or declare the tool by hand in another toolset.`
  return warning('TG6202', `\`${operation}\` is not imported: ${why}.`, next)
}

export function notOpenApi(shown: string, why: string): Diagnostic {
  const next = 'Use a document of OpenAPI 3.0 or 3.1, or Swagger 2.0, as JSON or YAML.'
  return errorAt(undefined, 'TG6201', `${shown} cannot be imported as an OpenAPI document: ${why}.`, next)
}

export function textLoss(loss: TextLoss): PartDiagnostic {
  const { keys } = loss
  if (loss.kind === 'repeated') {
    const message = `Duplicate key \`${keys.at(-1) ?? ''}\` ${atPointer(pointerOf(keys.slice(0, -1)))}. The last one is used.`
    const next = `${openApiDocument.fix}: use each key once.`
    return { diagnostic: warning('TG6211', message, next), keys }
  }
  const message = `The integer \`${loss.written}\` ${atPointer(pointerOf(keys))} is read as \`${loss.value}\`: JavaScript cannot represent it exactly.`
  const next = 'If the integer is a bound that no value reaches, do nothing. Otherwise declare such values as strings.'
  return { diagnostic: warning('TG6210', message, next), keys }
}

export function unusableOperation(shown: string, { why, remote }: PartProblem): Diagnostic {
  return remote === undefined ? operationLeftOut(shown, why) : remoteReference(shown, remote, 'it is not imported')
}

export function remoteReference(operation: string, ref: string, consequence: string): Diagnostic {
  const message = `\`${operation}\` references \`${ref}\` in another document, which is not fetched: ${consequence}.`
  return warning('TG6203', message, 'Bundle the documents into one document, and import this document.')
}

/** The first two keys of `trail` lead to the owner. */
export function repairedSchema(owner: string, { code, message, next, trail }: SchemaDiagnostic): Diagnostic {
  const [outer, inner] = [trail.slice(0, -1), trail.slice(2, -1)].map((keys) => atPointer(pointerOf(keys)))
  const text = `\`${owner}\`: ${message.replace(outer ?? '', inner ?? '')}`
  return warning(code, text, next ?? `${openApiDocument.fix}.`)
}

export function unusableError(shown: string, { why }: PartProblem): Diagnostic {
  const message = `The error response \`${shown}\` can have any body: ${why.replace(/\.$/, '')}.`
  return warning('TG6218', message, `${openApiDocument.fix}.`)
}

export function impossibleVariant(owner: string, { variant, fields }: ImpossibleVariant): Diagnostic {
  const why = fields.length === 0 ? '' : `: its required field \`${fields.join('.')}\` accepts no value`
  const message = `The variant \`${variant}\` of a union in \`${owner}\` accepts no value${why}.`
  const next = `${openApiDocument.fix}: calls cannot send this variant, and results with it are rejected.`
  return warning('TG6215', message, next)
}

export function renamedField(operation: string, what: string, field: string, why: string): Diagnostic {
  const message = `${what} of \`${operation}\` becomes the field \`${field}\`: ${why}.`
  return note('TG6206', message, 'No change is needed: requests use the original name.')
}

export function parameterLeftOut(operation: string, name: string, why: string): Diagnostic {
  const message = `The parameter \`${name}\` of \`${operation}\` is not imported: ${why}.`
  return warning('TG6209', message, `${openApiDocument.fix}.`)
}
