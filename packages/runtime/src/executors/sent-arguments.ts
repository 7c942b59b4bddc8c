import { CodecError, payloadCodec } from '../codec/codecs.js'
import { isFields } from '../schema/json-values.js'
import type { Codec } from '../types/codec.js'
import type { JsonObject } from '../types/json.js'
import type { ToolDescriptor } from '../types/tool.js'

/** Writes the payload of a tool as the object that its server is sent. */
export type SentArguments = (payload: unknown) => JsonObject

/**
 * How payloads of one tool are written: by its codec, server-owned fields by their own rules behind the others.
 *
 * @throws {CodecError} when somebody changed the payload so that it breaks its schema.
 */
export function sentArguments({ spec, payload: codec }: ToolDescriptor): SentArguments {
  const owned = spec.serverOwned.map(({ field, schema }) => ({ field, rule: payloadCodec({ schema }) }))
  const names = new Set(owned.map(({ field }) => field))
  return (payload) => {
    if (!isFields(payload)) throw new TypeError(`the payload of '${spec.id}' is no object, and MCP takes only objects`)
    const sent = Object.fromEntries(Object.entries(payload).filter(([field]) => !names.has(field)))
    const filled = owned
      .filter(({ field }) => payload[field] !== undefined)
      .map(({ field, rule }) => [field, written(rule, payload[field])] as const)
    return Object.fromEntries([...Object.entries(written(codec, sent)), ...filled])
  }
}

function written(codec: Pick<Codec<never, unknown>, 'encodeValue'>, value: unknown): any {
  // `any`: what JSON.parse makes of the codec's own text.
  const encoded = codec.encodeValue(value)
  if (!encoded.ok) throw new CodecError(encoded.issues)
  return JSON.parse(encoded.json)
}
