import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { dataFolder, hasData } from '../../data.js'
import { AirlineService } from './airline-service.js'
import type { AirlineDatabase } from './database.js'
import { freshDatabase, loadAirlineDatabase } from './database.js'
import type { RecordedCall, RecordedRun } from './recordings.js'
import { recordedConversations, recordedTasks } from './recordings.js'

const folder = dataFolder() ?? ''

describe.skipIf(!hasData)(
  'the airline service against tau-bench recordings (needs ../shared/data or TOOLGEN_DATA)',
  () => {
    let database: AirlineDatabase
    beforeAll(() => {
      database = loadAirlineDatabase(join(folder, 'tau/airline_db'))
    })

    it('answers all 158 actions of the tasks as the original did, key order included', async () => {
      const answers = await replayAll(recordedTasks(folder))
      expect(answers.filter(({ verdict }) => verdict !== 'identical')).toEqual([])
      expect(answers).toHaveLength(158)
      for (const { recorded, result } of answers) {
        expect(result).toEqual(typeof result === 'string' ? recorded.result : JSON.parse(recorded.result))
      }
    })

    it('answers the 572 calls of the conversations as the original did, but for the two named exceptions', async () => {
      const answers = await replayAll(recordedConversations(folder))
      expect(answers.filter(({ verdict }) => verdict === 'different')).toEqual([])
      expect(countByVerdict(answers)).toEqual({
        identical: 511,
        'state was called province': 59,
        'flights in the order of undeclared arguments': 2,
      })
    })

    it('hands out copies: what a caller does to a result stays with the caller', async () => {
      const service = new AirlineService(freshDatabase(database))
      const first = await service.getReservationDetails({ reservationId: '4WQ150' })
      const untouched = structuredClone(first)
      if (typeof first === 'string') throw new Error(first)
      first.passengers.length = 0
      expect(await service.getReservationDetails({ reservationId: '4WQ150' })).toEqual(untouched)
    })

    it('writes to its own copy of the database', async () => {
      const before = await new AirlineService(freshDatabase(database)).getReservationDetails({
        reservationId: '4WQ150',
      })
      await new AirlineService(freshDatabase(database)).cancelReservation({ reservationId: '4WQ150' })
      const after = await new AirlineService(freshDatabase(database)).getReservationDetails({ reservationId: '4WQ150' })
      expect(after).toEqual(before)
    })

    it('keeps what is left on a gift card, uses up a certificate and remembers both', async () => {
      const own = freshDatabase(database)
      const service = new AirlineService(own)
      for (const _ of [1, 2]) {
        await service.sendCertificate({ userId: 'mei_hernandez_8984', amount: 100 })
      }
      const user = own.users.mei_hernandez_8984
      expect(Object.keys(user?.payment_methods ?? {}).slice(-2)).toEqual(['certificate_3221322', 'certificate_3221323'])
      const seat = (await service.searchDirectFlight('PHL', 'LGA', '2024-05-20'))[0]
      if (seat === undefined) throw new Error('no flight from PHL to LGA')
      const price = seat.prices.business
      const booked = await service.bookReservation({
        userId: 'mei_hernandez_8984',
        origin: 'PHL',
        destination: 'LGA',
        flightType: 'one_way',
        cabin: 'business',
        flights: [{ flightNumber: seat.flight_number, date: '2024-05-20' }],
        passengers: [{ firstName: 'Mei', lastName: 'Hernandez', dob: '1981-01-11' }],
        paymentMethods: [
          { paymentId: 'certificate_3221322', amount: 100 },
          { paymentId: 'gift_card_5309492', amount: 90 },
          { paymentId: 'credit_card_2140654', amount: price + 30 + 50 - 190 },
        ],
        totalBaggages: 1,
        nonfreeBaggages: 1,
        insurance: 'yes',
      })
      expect(booked).toMatchObject({ reservation_id: 'HATHAT' })
      expect(user?.payment_methods.certificate_3221322).toBeUndefined()
      expect(user?.payment_methods.gift_card_5309492).toEqual({
        source: 'gift_card',
        amount: 8,
        id: 'gift_card_5309492',
      })
      expect(user?.reservations.at(-1)).toBe('HATHAT')
    })

    it('refuses in plain text and changes nothing', async () => {
      const own = freshDatabase(database)
      const service = new AirlineService(own)
      const passengers = [{ firstName: 'Chen', lastName: 'Jackson', dob: '1956-07-07' }]
      const flightChange = { reservationId: '4WQ150', cabin: 'business', paymentId: 'gift_card_3576581' } as const
      expect([
        await service.getUserDetails('constructor'),
        await service.getReservationDetails({ reservationId: '__proto__' }),
        await service.cancelReservation({ reservationId: 'NOSUCH' }),
        await service.updateReservationPassengers({ reservationId: '4WQ150', passengers }),
        await service.updateReservationFlights({
          ...flightChange,
          flights: [{ flightNumber: 'HAT999', date: '2024-05-20' }],
        }),
        await service.updateReservationFlights({
          ...flightChange,
          flights: [{ flightNumber: 'HAT001', date: '2025-05-20' }],
        }),
      ]).toEqual([
        'Error: user not found',
        'Error: reservation not found',
        'Error: reservation not found',
        'Error: number of passengers does not match',
        'Error: flight HAT999 not found',
        'Error: flight HAT001 not found on date 2025-05-20',
      ])
      expect(own).toEqual(database)
    })

    async function replayAll(runs: readonly RecordedRun[]): Promise<Answer[]> {
      const answers: Answer[] = []
      for (const { id, calls } of runs) {
        const service = new AirlineService(freshDatabase(database))
        for (const recorded of calls) {
          const result = await invoke(service, recorded)
          answers.push({ run: id, recorded, result, verdict: verdictOn(id, recorded, result) })
        }
      }
      return answers
    }
  },
)

interface Answer {
  run: string
  recorded: RecordedCall
  result: unknown
  verdict: Verdict
}

type Verdict =
  | 'identical'
  /** The conversations were recorded on a database whose addresses had `province` where ours have `state`. */
  | 'state was called province'
  /**
   * In one conversation the model repeated `origin` and `destination` of each new flight. The tool does not declare them
   * and the service has no place for them; the original kept them in front. Only the order of the keys shows it, in that
   * answer and the next one about the same reservation.
   */
  | 'flights in the order of undeclared arguments'
  | 'different'

const runWithUndeclaredArguments = 'tau-bench gpt-4o-airline task 5 trial 1'

function verdictOn(run: string, { name, result: text }: RecordedCall, result: unknown): Verdict {
  const answer = typeof result === 'string' ? result : JSON.stringify(result)
  const expected = typeof result === 'string' || text.startsWith('Error: ') ? text : JSON.stringify(JSON.parse(text))
  if (answer === expected) return 'identical'
  if (name === 'get_user_details' && answer === expected.replace('"province":', '"state":'))
    return 'state was called province'
  if (run === runWithUndeclaredArguments && sortedKeys(answer) === sortedKeys(expected)) {
    return 'flights in the order of undeclared arguments'
  }
  return 'different'
}

function sortedKeys(json: string): string {
  return JSON.stringify(JSON.parse(json), (_key, value) =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).sort()),
  )
}

function countByVerdict(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { verdict } of answers) counts[verdict] = (counts[verdict] ?? 0) + 1
  return counts
}

/** Calls the method behind a tool; binding by hand what the generator binds from the design. */
async function invoke(service: AirlineService, call: RecordedCall): Promise<unknown> {
  // any: recorded JSON; that it fits the methods is what the tools' schemas promise
  const input: any = camelCased(call.arguments)
  switch (call.name) {
    case 'book_reservation':
      return service.bookReservation(input)
    case 'calculate':
      return service.calculate(input.expression)
    case 'cancel_reservation':
      return service.cancelReservation(input)
    case 'get_reservation_details':
      return service.getReservationDetails(input)
    case 'get_user_details':
      return service.getUserDetails(input.userId)
    case 'list_all_airports':
      return service.listAllAirports()
    case 'search_direct_flight':
      return service.searchDirectFlight(input.origin, input.destination, input.date)
    case 'search_onestop_flight':
      return service.searchOnestopFlight(input)
    case 'send_certificate':
      return service.sendCertificate(input)
    case 'think':
      return service.think(input.thought)
    case 'transfer_to_human_agents':
      return service.transferToHumanAgents(input.summary)
    case 'update_reservation_baggages':
      return service.updateReservationBaggages(input)
    case 'update_reservation_flights':
      return service.updateReservationFlights(input)
    case 'update_reservation_passengers':
      return service.updateReservationPassengers(input)
    default:
      throw new Error(`no tool ${call.name}`)
  }
}

function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [camelCase(key), camelCased(item)]))
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
