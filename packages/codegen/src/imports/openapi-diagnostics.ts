import { pointerOf } from '@toolgen/runtime/schema'
import { type Diagnostic, errorAt, note, warning } from '../diagnostics/diagnostic.js'
import type { TextLoss } from '../schema/json-losses.js'
import { atPointer, type SchemaDiagnostic } from '../schema/json-schema.js'
import type { PartKeys, PartProblem } from './openapi-parts.js'
import type { ImpossibleVariant } from './openapi-settled.js'
import type { ToolSource } from './tool-source.js'

/** An OpenAPI document as the source of tools. */
export const openApiDocument: ToolSource = {
  subject: 'The document',
  fix: 'Correct the document, and import again',
  rename: 'fromOpenApi(toolset, { rename: { tool: "name" } })',
}

/** A diagnostic about a part of a document, without its location. */
export interface PartDiagnostic {
  readonly diagnostic: Diagnostic
  readonly keys: PartKeys
}

/** Reports an operation that no tool can call. */
export function operationLeftOut(operation: string, why: string): Diagnostic {
  const next = `${openApiDocument.fix}, or declare the tool by hand in a toolset of its own.`
  return warning('TG6202', `\`${operation}\` is left out: ${why}.`, next)
}

/** Reports a text that is not an OpenAPI document. */
export function notOpenApi(shown: string, why: string): Diagnostic {
  const next = 'Give a document of OpenAPI 3.0 or 3.1, or of Swagger 2.0, as JSON or YAML.'
  return errorAt(undefined, 'TG6201', `${shown} is no OpenAPI document that can be imported: ${why}.`, next)
}

/** Reports a part of a document that reading its text loses. */
export function textLoss(loss: TextLoss): PartDiagnostic {
  const { keys } = loss
  if (loss.kind === 'repeated') {
    const message = `\`${keys.at(-1) ?? ''}\` stands more than once ${atPointer(pointerOf(keys.slice(0, -1)))}; the last one counts.`
    const next = `${openApiDocument.fix}: each key stands once, and what it holds in one place.`
    return { diagnostic: warning('TG6211', message, next), keys }
  }
  const message = `The integer \`${loss.written}\` ${atPointer(pointerOf(keys))} is read as \`${loss.value}\`: JavaScript has no exact integers of this size.`
  const next =
    'Nothing, where it is a bound that no value comes near; else correct the document, so that such values travel as text.'
  return { diagnostic: warning('TG6210', message, next), keys }
}

export function unusableOperation(shown: string, { why, remote }: PartProblem): Diagnostic {
  return remote === undefined ? operationLeftOut(shown, why) : remoteReference(shown, remote, 'it is left out')
}

/** Reports a reference to another document, which is not fetched. */
export function remoteReference(operation: string, ref: string, consequence: string): Diagnostic {
  const message = `\`${operation}\` refers to \`${ref}\`, which is not in the document and is not fetched: ${consequence}.`
  return warning('TG6203', message, 'Bundle the document into one, and import that.')
}

/**
 * Reports a schema of a loose dialect that was repaired.
 *
 * @param owner schema or operation with the repaired part
 * @param repair its trail begins with the two keys of the owner
 */
export function repairedSchema(owner: string, { code, message, next, trail }: SchemaDiagnostic): Diagnostic {
  const [outer, inner] = [trail.slice(0, -1), trail.slice(2, -1)].map((keys) => atPointer(pointerOf(keys)))
  const text = `\`${owner}\`: ${message.replace(outer ?? '', inner ?? '')}`
  return warning(code, text, next ?? `${openApiDocument.fix}.`)
}

export function impossibleVariant(owner: string, { variant, fields }: ImpossibleVariant): Diagnostic {
  const why = fields.length === 0 ? '' : `: its required field \`${fields.join('.')}\` has no allowed value`
  const message = `No value fits the variant \`${variant}\` of a union in \`${owner}\`${why}.`
  const next = `${openApiDocument.fix}: calls cannot send this variant, and results with it are refused.`
  return warning('TG6215', message, next)
}

/** Reports a parameter or a body field that has another name in the payload. */
export function renamedField(operation: string, what: string, field: string, why: string): Diagnostic {
  const message = `${what} of \`${operation}\` is the field \`${field}\`: ${why}.`
  return note('TG6206', message, 'Nothing: requests carry the name that the API knows.')
}

export function parameterLeftOut(operation: string, name: string, why: string): Diagnostic {
  const message = `The parameter \`${name}\` of \`${operation}\` is left out: ${why}.`
  return warning('TG6209', message, `${openApiDocument.fix}.`)
}
