import { own } from '../../schema/json/json.js'
import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { losesSchema, type Media, mediaOf } from './media-types.js'
import { textAnswer } from './openapi-diagnostics.js'
import type { OperationScene } from './operation-scene.js'
import type { ApiOperationPart } from './operations.js'
import { type DocumentPart, objectAt, type PartFault, partsUnder } from './references.js'

/** What an operation answers, as the result of a tool and as the table of the API has it. */
export interface ReadAnswers {
  readonly result: Schema
  /** Kind by status; absent where the document does not say what comes back. */
  readonly table?: SchemaObject
  readonly fault?: PartFault
}

/** What answers are read with; a schema is one of what comes back. */
export type AnswerScene = Pick<OperationScene, 'root' | 'schema' | 'find'>

/** Reads the answers of an operation that are results: those of success, else the one for every status. `HEAD` has no bodies. */
export function readAnswers(
  { operation, keys, shown, method }: ApiOperationPart,
  { root, schema, find }: AnswerScene,
): ReadAnswers {
  const all = partsUnder({ value: own(operation, 'responses') ?? {}, keys: [...keys, 'responses'] })
  const statusOf = ({ keys: at }: DocumentPart): string => String(at.at(-1)).toUpperCase()
  const successes = all.filter((part) => /^2(?:\d\d|XX)$/.test(statusOf(part)))
  const hasOthers = all.some((part) => /^3(?:\d\d|XX)$/.test(statusOf(part)))
  const others = all.filter((part) => !hasOthers && statusOf(part) === 'DEFAULT')
  const used = successes.length > 0 ? successes : others
  if (used.length === 0) return { result: true }
  const schemas = new Map<string, Schema>()
  const table: Record<string, string> = {}
  for (const part of used) {
    const found = objectAt(root, part)
    if ('why' in found) return { result: true, fault: found }
    const content = method === 'HEAD' ? undefined : own(found.object, 'content')
    const media = mediaOf({ value: content ?? {}, keys: [...found.keys, 'content'] })
    const { kind, result } = answerOf(media, schema)
    if (media !== undefined && losesSchema(media, root)) find(textAnswer(shown, media.type), part.keys)
    table[statusOf(part).replace('DEFAULT', 'default')] = kind
    schemas.set(JSON.stringify(result), result)
  }
  const results = [...schemas.values()]
  const [only = true] = results
  return { result: results.length === 1 ? only : results.includes(true) ? true : { anyOf: results }, table }
}

function answerOf(
  media: Media | undefined,
  schema: AnswerScene['schema'],
): { readonly kind: string; readonly result: Schema } {
  if (media === undefined) return { kind: 'none', result: { type: 'null' } }
  switch (media.kind) {
    case 'json':
      return { kind: 'json', result: media.isDescribed ? schema(media.schema) : true }
    case 'text':
    case 'form':
      return { kind: 'text', result: { type: 'string' } }
    case 'bytes':
    case 'multipart':
      return { kind: 'bytes', result: { type: 'string', contentEncoding: 'base64' } }
  }
}
