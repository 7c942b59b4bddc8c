import { pointerOf } from '@toolgen/runtime/schema'
import { type Diagnostic, nearest } from '../diagnostics/diagnostic.js'
import type { TextLoss } from '../schema/json-losses.js'
import { atPointer, type SchemaFault } from '../schema/json-schema.js'
import type { ImpossibleVariant } from './openapi-references.js'
import type { ServerReading, UnsendableScheme } from './openapi-servers.js'
import type { ToolSource } from './tool-diagnostics.js'

/** An OpenAPI document as the source of tools. */
export const openApiDocument: ToolSource = {
  subject: 'The document',
  fix: 'Correct the document, and import again',
  rename: 'fromOpenApi(toolset, { rename: { tool: "name" } })',
}

/** Nothing says where the document of an import is. */
export function noDocumentSource(snapshot: string, unread: string | undefined): Diagnostic {
  return {
    code: 'TG0001',
    severity: 'error',
    message: `Nothing says where the document is, ${unread === undefined ? `nor does \`${snapshot}\` name one` : `and \`${snapshot}\` cannot be read: ${unread}`}.`,
    next: 'Give `--from FILE`, `--from URL`, or `--from -` for standard input, e.g. `toolgen import openapi pets --from openapi.yaml`.',
  }
}

/** An option that is given and names nothing. */
export function emptyOption(option: 'from' | 'tag' | 'path' | 'operation'): Diagnostic {
  const example = { from: 'openapi.yaml', tag: 'pets', path: "'/pets*'", operation: 'getPet' }[option]
  const instead =
    option === 'from'
      ? 'read what the snapshot names'
      : 'select as the import before did: everything, if it said nothing'
  return {
    code: 'TG0001',
    severity: 'error',
    message: `\`--${option}\` is empty.`,
    next: `Write \`--${option} ${example}\`, or leave it out to ${instead}. A variable in its place may not be set.`,
  }
}

/** The document is at a place that the next machine does not have. */
export function locationNotKept(toolset: string, shown: string): Diagnostic {
  return {
    code: 'TG6007',
    severity: 'warning',
    message: `The snapshot does not say where the document of \`${toolset}\` is: ${shown} is outside of the folder in which the command works.`,
    next: 'Name it with `--from` at each import, or copy it into the project.',
  }
}

/** What was read is no OpenAPI document. */
export function noOpenApi(shown: string, why: string): Diagnostic {
  return {
    code: 'TG6201',
    severity: 'error',
    message: `${shown} is no OpenAPI document that can be imported: ${why}.`,
    next: 'Give a document of OpenAPI 3.0 or 3.1, or of Swagger 2.0, as JSON or YAML.',
  }
}

/** An operation that cannot be called through a tool. */
export function operationLeftOut(operation: string, why: string): Diagnostic {
  return {
    code: 'TG6202',
    severity: 'warning',
    message: `\`${operation}\` is left out: ${why}.`,
    next: `${openApiDocument.fix}, or declare the tool by hand in a toolset of its own.`,
  }
}

/** A reference to another document, which nobody fetches. */
export function remoteReference(operation: string, ref: string, consequence: string): Diagnostic {
  return {
    code: 'TG6203',
    severity: 'warning',
    message: `\`${operation}\` refers to \`${ref}\`, which is not in the document and is not fetched: ${consequence}.`,
    next: 'Bundle the document into one, and import that.',
  }
}

/** An operation that has no name of its own. */
export function unnamedOperation(operation: string, name: string): Diagnostic {
  return {
    code: 'TG6204',
    severity: 'note',
    message: `\`${operation}\` has no \`operationId\`; it is imported as \`${name}\`.`,
    next: 'Nothing, or give the operation an `operationId`: it keeps the name of the tool when its path changes.',
  }
}

/** An operation with the name of another one. */
export function repeatedOperation(operation: string, id: string, toolName: string): Diagnostic {
  return {
    code: 'TG6205',
    severity: 'warning',
    message: `\`${operation}\` has the \`operationId\` \`${id}\` of another operation; models see it as \`${toolName}\`.`,
    next: `${openApiDocument.fix}: each operation has an \`operationId\` of its own.`,
  }
}

/** A parameter, or a field of a body, that the tool calls by another name than the API. */
export function renamedField(operation: string, what: string, field: string, why: string): Diagnostic {
  return {
    code: 'TG6206',
    severity: 'note',
    message: `${what} of \`${operation}\` is the field \`${field}\`: ${why}.`,
    next: 'Nothing: requests carry the name that the API knows.',
  }
}

/** The command line selects something that the document does not have. */
export function selectsNothing(option: string, given: string, known: readonly string[]): Diagnostic {
  const near = nearest(given, known)
  const listed = known.slice(0, 20).join(', ')
  const all = known.length > 20 ? `${listed}, and ${known.length - 20} more` : listed
  const others =
    known.length > 0
      ? `There are: ${all}.`
      : `The document has no ${option}s: leave --${option} out, or select by another option.`
  return {
    code: 'TG0001',
    severity: 'error',
    message: `\`--${option} ${given}\` selects no operation of the document.`,
    next: near[0] === undefined ? others : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
  }
}

/**
 * A document that does not say where its API is.
 *
 * @param fault why the server that it names cannot be used. Default: it names none
 */
export function noServer(fault: Extract<ServerReading, { readonly why: string }> | undefined): Diagnostic {
  const since = fault === undefined ? '' : `, since ${fault.why}`
  return {
    code: 'TG6207',
    severity: fault === undefined || fault.isRelative === true ? 'note' : 'warning',
    message: `The document does not say where its API is${since}: applications must give \`baseUrl\`.`,
    next: 'Nothing, or name a server with its whole address under `servers`.',
  }
}

/** A document without an operation that could be a tool. */
export function noOperations(shown: string): Diagnostic {
  return noOpenApi(shown, 'it has no operation that can be imported')
}

/** A pattern that codecs cannot match. */
export function patternLeftOut(keys: readonly (string | number)[], pattern: string, part: string): Diagnostic {
  return {
    code: 'TG6208',
    severity: 'warning',
    message: `The pattern \`${pattern}\` ${atPointer(pointerOf(keys))} is left out: it has ${part}.`,
    next: `${openApiDocument.fix}: OpenAPI has the regular expressions of ECMA-262.`,
  }
}

/** A value of a discriminator that is mapped to a schema which the document does not have. */
export function mappedNowhere(keys: readonly (string | number)[], tag: string, target: string): Diagnostic {
  return {
    code: 'TG6217',
    severity: 'warning',
    message: `The value \`${tag}\` ${atPointer(pointerOf(keys))} is ignored: the document has no schema \`${target}\`.`,
    next: `${openApiDocument.fix}: name a schema of the document, such as \`#/components/schemas/Cat\`.`,
  }
}

/** A parameter that no request can have, or that is declared twice. */
export function parameterLeftOut(operation: string, name: string, why: string): Diagnostic {
  return {
    code: 'TG6209',
    severity: 'warning',
    message: `The parameter \`${name}\` of \`${operation}\` is left out: ${why}.`,
    next: `${openApiDocument.fix}.`,
  }
}

/** A header that is not for models to give. */
export function ownHeader(operation: string, name: string): Diagnostic {
  return {
    code: 'TG6209',
    severity: 'note',
    message: `The parameter \`${name}\` of \`${operation}\` is left out: it is a header of the connection or of the application.`,
    next: 'Nothing, or give it under `headers` where the toolset is bound, if `fetch` lets it.',
  }
}

/** A style that a parameter cannot have where it stands. */
export function styleLeftOut(operation: string, name: string, style: string, location: string): Diagnostic {
  return {
    code: 'TG6214',
    severity: 'warning',
    message: `The parameter \`${name}\` of \`${operation}\` is written in the usual style: OpenAPI has no style \`${style}\` in ${location}.`,
    next: `${openApiDocument.fix}.`,
  }
}

/** A body that no request can have. */
export function bodyLeftOut(operation: string, why: string): Diagnostic {
  return {
    code: 'TG6209',
    severity: 'warning',
    message: `The body of \`${operation}\` is left out: ${why}.`,
    next: `${openApiDocument.fix}.`,
  }
}

/** A body of a request that is text, such as XML, and has a schema of something else. */
export function textBody(operation: string, type: string): Diagnostic {
  return {
    code: 'TG6212',
    severity: 'warning',
    message: `The body of \`${operation}\` is \`${type}\`, which is sent as the text that models write: its schema is not used.`,
    next: 'Describe in a `description` of the body what the text is, or give the operation a body of JSON, and import again.',
  }
}

/** A parameter that is text, such as XML, and has a schema of something else. */
export function textParameter(operation: string, name: string, type: string): Diagnostic {
  return {
    code: 'TG6212',
    severity: 'warning',
    message: `The parameter \`${name}\` of \`${operation}\` is \`${type}\`, which is sent as the text that models write: its schema is not used.`,
    next: 'Describe in its `description` what the text is, and import again.',
  }
}

/** An answer that is text, such as XML, and has a schema of something else. */
export function textAnswer(operation: string, type: string): Diagnostic {
  return {
    code: 'TG6212',
    severity: 'note',
    message: `An answer of \`${operation}\` is \`${type}\`, which is a text: its schema is not used.`,
    next: 'Nothing, where models can read the text; else give the operation an answer of JSON, and import again.',
  }
}

/**
 * A way to prove who asks that nobody but the application knows.
 *
 * @param kind what the document says of it; `undefined` where it declares none of the name
 */
export function unknownScheme(name: string, kind: string | undefined, operations: readonly string[]): Diagnostic {
  const first = operations.slice(0, 5).map((operation) => `\`${operation}\``)
  const more = operations.length - first.length
  const asked =
    more > 0 ? `${first.join(', ')} and ${more} more are` : `${first.join(', ')} ${first.length === 1 ? 'is' : 'are'}`
  const what = kind === undefined ? 'which the document does not declare' : `which is \`${kind}\``
  return {
    code: 'TG6213',
    severity: 'warning',
    message: `toolgen does not prove who asks by \`${name}\`, ${what}: ${asked} asked without credentials.`,
    next: 'Give `headers`, or a `fetch` that proves who asks, where the toolset is bound.',
  }
}

/**
 * A schema of a loose dialect that was repaired.
 *
 * @param owner the schema or the operation with the repaired part
 * @param repair its trail begins with the two keys of the owner
 */
export function repairedSchema(owner: string, { code, message, next, trail }: SchemaFault): Diagnostic {
  const [outer, inner] = [trail.slice(0, -1), trail.slice(2, -1)].map((keys) => atPointer(pointerOf(keys)))
  return {
    code,
    severity: 'warning',
    message: `\`${owner}\`: ${message.replace(outer ?? '', inner ?? '')}`,
    next: next ?? `${openApiDocument.fix}.`,
  }
}

/**
 * A variant of a union that no value fits.
 *
 * @param owner the schema or the operation with the union
 */
export function impossibleVariant(owner: string, { variant, fields }: ImpossibleVariant): Diagnostic {
  const why = fields.length === 0 ? '' : `: its required field \`${fields.join('.')}\` has no allowed value`
  return {
    code: 'TG6215',
    severity: 'warning',
    message: `No value fits the variant \`${variant}\` of a union in \`${owner}\`${why}.`,
    next: `${openApiDocument.fix}: calls cannot send this variant, and results with it are refused.`,
  }
}

/** A way to send credentials whose header or cookie cannot have its name. */
export function unsendableScheme({ name, location, sent }: UnsendableScheme): Diagnostic {
  return {
    code: 'TG6216',
    severity: 'error',
    message: `The security scheme \`${name}\` cannot be sent: ${JSON.stringify(sent)} is not a valid name of a ${location}.`,
    next: 'Correct `name` in the document: letters, digits and `-`, without spaces and line breaks. Or import only operations without this scheme.',
  }
}

/** What is lost of a document by reading its text. */
export function lostInText(loss: TextLoss): Diagnostic {
  if (loss.kind === 'repeated') {
    const [key = ''] = loss.keys.slice(-1)
    return {
      code: 'TG6211',
      severity: 'warning',
      message: `\`${key}\` stands more than once ${atPointer(pointerOf(loss.keys.slice(0, -1)))}; the last one counts.`,
      next: `${openApiDocument.fix}: each key stands once, and what it holds in one place.`,
    }
  }
  return {
    code: 'TG6210',
    severity: 'warning',
    message: `The integer \`${loss.written}\` ${atPointer(pointerOf(loss.keys))} is read as \`${loss.value}\`: JavaScript has no exact integers of this size.`,
    next: 'Nothing, where it is a bound that no value comes near; else correct the document, so that such values travel as text.',
  }
}

/** An address that must not be checked in. */
export function secretAddress(toolset: string, secret: string): Diagnostic {
  return {
    code: 'TG6007',
    severity: 'warning',
    message: `The snapshot does not say where the document of \`${toolset}\` is: \`${secret}\` of its address seems to hold a secret.`,
    next: "Import again with a variable of the environment in its place, in single quotes: `'${SECRET}'`.",
  }
}
