import type { Installed } from '../../installed/load-installed.js'
import { closedSchema } from '../../schema/canonical/closed-schema.js'
import { isObject } from '../../schema/json/json.js'
import { inTime } from '../../time/in-time.js'
import type { ToolContract } from '../contracts/contracts.js'
import type { Defs } from '../inclusion/spot.js'

/** The first thing that is wrong with arguments. */
export interface DecodeFault {
  /** JSON Pointer into the arguments. */
  readonly pointer: string
  readonly message: string
}

/** Decodes the JSON text of arguments; `undefined` where nothing is wrong with it. */
export type DecodePayload = (text: string) => DecodeFault | undefined

/**
 * Makes the decoder of a tool. Where its schema cannot be read, which locks of older versions may have, it says that of
 * all arguments.
 *
 * @param payloadCodec the function of the installed runtime that generated code makes its codecs with
 */
export function payloadDecoder(payloadCodec: Installed, tool: ToolContract, defs: Defs): DecodePayload {
  const options = {
    schema: closedSchema(tool.arguments, defs),
    serverOwned: tool.serverOwned.map(({ field }) => field),
  }
  const codec: unknown = Reflect.apply(payloadCodec, undefined, [options])
  const decode: unknown = isObject(codec) ? Reflect.get(codec, 'decode') : undefined
  if (typeof decode !== 'function') throw new TypeError('`payloadCodec` of the installed runtime makes no codec')
  return (text) => {
    try {
      const tried = inTime((): unknown => Reflect.apply(decode, codec, [text]))
      return tried.isDone ? faultIn(tried.value) : tooSlow
    } catch (error) {
      if (!isSchemaError(error)) throw error
      return { pointer: '', message: error.message }
    }
  }
}

const tooSlow: DecodeFault = { pointer: '', message: 'It takes too long to try, by some pattern of the schema' }

function faultIn(decoded: unknown): DecodeFault | undefined {
  if (!isObject(decoded) || decoded.ok === true) return undefined
  const [issue] = Array.isArray(decoded.issues) ? decoded.issues : []
  return isObject(issue)
    ? { pointer: String(issue.path), message: String(issue.message) }
    : { pointer: '', message: 'it is not taken' }
}

/** By its name: the installed runtime has a class of its own. */
function isSchemaError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SchemaError'
}
