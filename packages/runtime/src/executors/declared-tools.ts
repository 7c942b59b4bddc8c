import { CodecError, payloadCodec } from '../codec/codecs.js'
import { isFields } from '../schema/json-values.js'
import type { Codec } from '../types/codec.js'
import type { JsonObject } from '../types/json.js'
import type { ToolDescriptor, ToolsetDescriptor } from '../types/tool.js'

interface DeclaredTool<Declared> {
  readonly descriptor: ToolDescriptor
  readonly declared: Declared
  /** @throws {CodecError} if the payload violates its schema, for example because a layer has changed the payload. */
  readonly toArguments: (payload: unknown) => JsonObject
}

export function declaredTools<Declared>(
  toolset: ToolsetDescriptor,
  declarations: Readonly<Record<string, Declared>>,
): (name: string) => DeclaredTool<Declared> {
  const tools = new Map<string, DeclaredTool<Declared>>()
  for (const descriptor of toolset.tools) {
    const { name } = descriptor.spec
    const declared = Object.hasOwn(declarations, name) ? declarations[name] : undefined
    if (declared !== undefined) tools.set(name, { descriptor, declared, toArguments: argumentEncoder(descriptor) })
  }
  return (name) => {
    const tool = tools.get(name)
    if (tool === undefined) throw new Error(`the executor of toolset '${toolset.name}' has no tool '${name}'`)
    return tool
  }
}

function argumentEncoder({ spec, payload: codec }: ToolDescriptor): DeclaredTool<unknown>['toArguments'] {
  const owned = spec.serverOwned.map(({ field, schema }) => ({ field, codec: payloadCodec({ schema }) }))
  const names = new Set(owned.map(({ field }) => field))
  return (payload) => {
    if (!isFields(payload)) throw new TypeError(`the payload of '${spec.id}' must be an object`)
    const others = Object.fromEntries(Object.entries(payload).filter(([field]) => !names.has(field)))
    const present = owned.filter(({ field }) => payload[field] !== undefined)
    return Object.fromEntries([
      ...Object.entries(encoded(codec, others)),
      ...present.map((each) => [each.field, encoded(each.codec, payload[each.field])]),
    ])
  }
}

function encoded(codec: Pick<Codec<never, unknown>, 'encodeValue'>, value: unknown): any {
  // `any`: the parsed JSON of the codec.
  const result = codec.encodeValue(value)
  if (!result.ok) throw new CodecError(result.issues)
  return JSON.parse(result.json)
}
