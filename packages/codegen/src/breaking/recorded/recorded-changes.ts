import { relativePath } from '../../evaluate/relative-path.js'
import type { Installed } from '../../installed/load-installed.js'
import { own } from '../../schema/json/json.js'
import type { Json } from '../../schema/json/json-schema.js'
import { type ContractChange, newChange } from '../changes/change.js'
import type { DesignPlaces } from '../changes/design-places.js'
import type { Contracts } from '../contracts/contracts.js'
import type { RecordedCall } from './cassettes.js'
import { type DecodeFault, type DecodePayload, payloadDecoder } from './payload-decoder.js'

/** What was recorded, and by what it is judged. */
export interface Recorded {
  readonly was: Contracts
  readonly is: Contracts
  readonly calls: readonly RecordedCall[]
  readonly payloadCodec: Installed
  readonly places: DesignPlaces
  /** The project's root, to which the places of cassettes are relative. */
  readonly root: string
}

/** What was decoded, and what of it is refused. */
export interface RecordedChanges {
  readonly examples: number
  readonly calls: number
  readonly changes: readonly ContractChange[]
}

/** Decodes the examples of before, and the calls of cassettes, by the payload codecs of now. */
export function recordedChanges({ was, is, calls, payloadCodec, places, root }: Recorded): RecordedChanges {
  const decoders = { was: decodersOf(was, payloadCodec), is: decodersOf(is, payloadCodec) }
  const examples = [...was.toolsets.values()].flatMap(({ tools }) =>
    [...tools.values()].flatMap(({ id, about }) => {
      const listed = own(about, 'examples')
      const decode = decoders.is(id)
      return decode === undefined || !Array.isArray(listed)
        ? []
        : listed.map((example: Json) => ({ id, example, decode }))
    }),
  )
  const ofExamples = examples.flatMap(({ id, example, decode }) => {
    const fault = decode(JSON.stringify(example))
    if (fault === undefined) return []
    const place = places.tool(id)
    return [
      newChange('recorded-example-refused', {
        subject: { tool: id, side: 'arguments' },
        told: toldOf(fault, JSON.stringify(example)),
        pointer: fault.pointer,
        was: example,
        ...(place !== undefined && { place }),
      }),
    ]
  })
  const judged = calls.filter(({ tool, arguments: text, isAnswered }) => {
    const decode = decoders.was(tool)
    return decode === undefined ? isAnswered : decode(text) === undefined
  })
  const ofCalls = judged.flatMap((call): readonly ContractChange[] => {
    const { tool, arguments: text } = call
    const place = { file: relativePath(root, call.file), line: call.line, column: 1 }
    const decode = decoders.is(tool)
    if (decode === undefined) return [newChange('recorded-tool-missing', { subject: { tool }, place })]
    const fault = decode(text)
    if (fault === undefined) return []
    const subject = { tool, side: 'arguments' } as const
    return [
      newChange('recorded-call-refused', {
        subject,
        told: toldOf(fault, text),
        pointer: fault.pointer,
        was: text,
        place,
      }),
    ]
  })
  return { examples: examples.length, calls: judged.length, changes: [...ofExamples, ...ofCalls] }
}

/** How much of what was sent is shown. */
const longest = 80

/** What was sent, and why it is refused. */
function toldOf({ message }: DecodeFault, sent: string): string {
  const shown = sent.length > longest ? `${sent.slice(0, longest)}…` : sent
  return `${shown} (${message.replace(/\.$/, '')})`
}

/** Finds the decoder of a tool, made when it is first asked for; `undefined` where there is no such tool. */
function decodersOf({ toolsets }: Contracts, payloadCodec: Installed): (id: string) => DecodePayload | undefined {
  const known = new Map(
    [...toolsets.values()].flatMap(({ tools, defs }) =>
      [...tools.values()].map((tool) => [tool.id, { tool, defs }] as const),
    ),
  )
  const made = new Map<string, DecodePayload>()
  return (id) => {
    const found = known.get(id)
    if (found === undefined) return undefined
    const decode = made.get(id) ?? payloadDecoder(payloadCodec, found.tool, found.defs)
    made.set(id, decode)
    return decode
  }
}
