import { describe, expect, it } from 'vitest'
import type { Codec } from '../../packages/runtime/src/types/codec.js'
import { hasData } from '../data.js'
import { functions, importedFunctions, parts } from './bfcl.fixture.js'
import { allCalls, judgedCalls as calls } from './bfcl-calls.fixture.js'
import { counted, type Imported, payloadOf } from './imported.fixture.js'

/** Whether each call decodes, beside whether it should. */
function verdicts(schemas: ReadonlyMap<string, Imported>, unknown: 'reject' | 'strip' | 'keep') {
  const codecs = new Map([...schemas].map(([fid, schema]) => [fid, payloadOf(schema, unknown)] as const))
  const outcomes = calls.map((call) => ({ call, decodes: decodes(codecs.get(call.fid), call.arguments) }))
  return { outcomes, counts: counted(outcomes.map(({ call, decodes }) => `valid ${call.valid}: ${decodes}`)) }
}

function decodes(codec: Codec<unknown, unknown> | undefined, given: unknown): boolean {
  const text = JSON.stringify(given)
  const ok = codec?.decodeValue(given).ok ?? false
  if (codec?.decode(text).ok !== ok) throw new Error(`The text and the value of ${text} are judged differently.`)
  return ok
}

describe.skipIf(!hasData)('calls of the Berkeley Function Calling Leaderboard (needs the data folder)', () => {
  it('are 7,875 with a verdict of 7,923', () => {
    expect([calls.length, allCalls.length]).toEqual([7875, 7923])
    expect(counted(calls.map(({ valid }) => String(valid)))).toEqual({ true: 7817, false: 58 })
  })

  describe.each(parts)('to codecs of %s', (part) => {
    const schemas = importedFunctions(part)

    it.each(['strip', 'keep'] as const)("get the published verdicts with unknown: '%s', all 7,875", (unknown) => {
      expect(verdicts(schemas, unknown).counts).toEqual({ 'valid true: true': 7817, 'valid false: false': 58 })
    })

    it("are refused with unknown: 'reject' in 83 cases more, for a field that the function does not have", () => {
      const { outcomes, counts } = verdicts(schemas, 'reject')
      expect(counts).toEqual({ 'valid true: true': 7734, 'valid true: false': 83, 'valid false: false': 58 })
      const refused = outcomes.filter(({ call, decodes }) => call.valid && !decodes)
      const declared = new Map(functions.map(({ fid, parameters }) => [fid, parameters.properties] as const))
      const extra = refused.map(({ call }) => {
        const strange = Object.keys(call.arguments).filter((name) => !Object.hasOwn(declared.get(call.fid) ?? {}, name))
        return `${call.name}: ${strange.join(', ')}`
      })
      expect(counted(extra)).toEqual({
        'book_flight: travel_cost': 40,
        'send_message: sender_id': 26,
        'post_tweet: username': 8,
        'delete_message: sender_id, message_id': 4,
        'Trains_1_FindTrains: journey_start_time': 1,
        'create_ticket: customer_support_interactions': 1,
        'delete_message: user_id, message_id': 1,
        'post_tweet: mention': 1,
        'retweet: username': 1,
      })
    })
  })
})
