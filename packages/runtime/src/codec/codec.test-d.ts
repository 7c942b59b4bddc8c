import type { Codec } from '../types/codec.js'
import { payloadCodec, resultCodec } from './codecs.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function isTrue<_ extends true>(): void {}

interface Arguments {
  readonly orderId: string
  readonly verbose?: boolean | undefined
}
interface Payload {
  readonly orderId: string
  readonly verbose: boolean
}

/** TypeScript infers both type arguments of `payloadCodec` from the declared type of the variable. */
export const payload: Codec<Arguments, Payload> = payloadCodec({ schema: {}, serverOwned: ['sessionId'] })
export const result: Codec<Payload> = resultCodec({ schema: true, unknown: 'keep' })

const decoded = payload.decode('{}')
if (decoded.ok) isTrue<Equal<typeof decoded.value, Payload>>()
else isTrue<Equal<(typeof decoded.issues)[number]['path'], string>>()

const encoded = payload.encodeValue({})
if (encoded.ok) isTrue<Equal<typeof encoded.value, Payload>>()
if (encoded.ok) isTrue<Equal<typeof encoded.json, string>>()

payload.encode({ orderId: 'A', verbose: undefined })
// @ts-expect-error: a result needs every field
result.encode({ orderId: 'A' })
// @ts-expect-error: `unknown` is `reject`, `strip` or `keep`
resultCodec({ schema: {}, unknown: 'drop' })
