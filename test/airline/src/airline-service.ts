import { cityByAirport } from './airports.js'
import { baggageFee, book, passengerRows } from './booking.js'
import { calculate } from './calculator.js'
import type { AirlineDatabase } from './database.js'
import { rowOf } from './database.js'
import { directFlights, oneStopFlights } from './flight-search.js'
import type {
  BaggageChange,
  Booking,
  CertificateGrant,
  FlightChange,
  FlightSearch,
  PassengerChange,
  ReservationReference,
} from './inputs.js'
import { chargeChange, priceFlights, priceOf } from './pricing.js'
import type { DatedFlightOffer, FlightOffer, Reservation, User } from './rows.js'

/**
 * The airline's desk over one database, which it owns and writes. A request that cannot be met is answered with a text
 * that begins with `Error: ` and changes nothing. Rows come back as copies, in the database's spelling and key order.
 *
 * @example
 * const desk = new AirlineService(freshDatabase(loadAirlineDatabase('data/airline_db')))
 * await desk.searchDirectFlight('JFK', 'SEA', '2024-05-20')
 */
export class AirlineService {
  readonly #database: AirlineDatabase

  constructor(database: AirlineDatabase) {
    this.#database = database
  }

  /** Books flights for passengers; the shares of the payment must add up to the price. */
  async bookReservation(input: Booking): Promise<Reservation | string> {
    return structuredClone(book(this.#database, input))
  }

  /** The value of an expression, rounded to cents: `'456.0'`. */
  async calculate(expression: string): Promise<string> {
    return calculate(expression)
  }

  /** Cancels a whole reservation and gives back every payment. */
  async cancelReservation(input: ReservationReference): Promise<Reservation | string> {
    const reservation = this.#reservation(input)
    if (reservation === undefined) return reservationNotFound
    const refunds = reservation.payment_history.map(({ payment_id, amount }) => ({ payment_id, amount: 0 - amount }))
    reservation.payment_history.push(...refunds)
    reservation.status = 'cancelled'
    return structuredClone(reservation)
  }

  async getReservationDetails(input: ReservationReference): Promise<Reservation | string> {
    return structuredClone(this.#reservation(input) ?? reservationNotFound)
  }

  async getUserDetails(userId: string): Promise<User | string> {
    return structuredClone(rowOf(this.#database.users, userId) ?? userNotFound)
  }

  /** City by airport code. */
  async listAllAirports(): Promise<Record<string, string>> {
    return { ...cityByAirport }
  }

  async searchDirectFlight(origin: string, destination: string, date: string): Promise<FlightOffer[]> {
    return directFlights(this.#database.flights, { origin, destination, date })
  }

  /** Pairs of flights, the second leaving where the first arrives. */
  async searchOnestopFlight(input: FlightSearch): Promise<[DatedFlightOffer, DatedFlightOffer][]> {
    return oneStopFlights(this.#database.flights, input)
  }

  /** Adds a certificate to a user's payment methods; there are ids for three of them. */
  async sendCertificate({ userId, amount }: CertificateGrant): Promise<string> {
    const user = rowOf(this.#database.users, userId)
    if (user === undefined) return userNotFound
    const id = certificateIds.find((candidate) => !Object.hasOwn(user.payment_methods, candidate))
    if (id === undefined) throw new Error(`user ${userId} holds all of ${certificateIds.join(', ')}`)
    user.payment_methods[id] = { source: 'certificate', amount, id }
    return `Certificate ${id} added to user ${userId} with amount ${amount}.`
  }

  /** Notes a thought; nothing comes back. */
  async think(_thought: string): Promise<string> {
    return ''
  }

  async transferToHumanAgents(_summary: string): Promise<string> {
    return 'Transfer successful'
  }

  /** Charges the bags that are no longer free; fewer bags give nothing back. */
  async updateReservationBaggages(input: BaggageChange): Promise<Reservation | string> {
    const reservation = this.#reservation(input)
    if (reservation === undefined) return reservationNotFound
    const price = baggageFee * Math.max(0, input.nonfreeBaggages - reservation.nonfree_baggages)
    const refusal = this.#charge(reservation, input.paymentId, price)
    if (refusal !== undefined) return refusal
    reservation.total_baggages = input.totalBaggages
    reservation.nonfree_baggages = input.nonfreeBaggages
    return structuredClone(reservation)
  }

  /**
   * Puts new flights in the place of the old ones and charges or gives back the difference. Flights that stay in the
   * same cabin keep their price. As in the original, the reservation's own `cabin` is left as it was.
   */
  async updateReservationFlights(input: FlightChange): Promise<Reservation | string> {
    const reservation = this.#reservation(input)
    if (reservation === undefined) return reservationNotFound
    const passengerCount = reservation.passengers.length
    const kept = input.cabin === reservation.cabin ? reservation.flights : []
    const request = { choices: input.flights, cabin: input.cabin, passengerCount, kept }
    const priced = priceFlights(this.#database.flights, request)
    if (typeof priced === 'string') return priced
    const difference = priced.total - priceOf(reservation.flights) * passengerCount
    const refusal = this.#charge(reservation, input.paymentId, difference)
    if (refusal !== undefined) return refusal
    reservation.flights = priced.flights
    return structuredClone(reservation)
  }

  /** Names other passengers; their number must stay the same. */
  async updateReservationPassengers(input: PassengerChange): Promise<Reservation | string> {
    const reservation = this.#reservation(input)
    if (reservation === undefined) return reservationNotFound
    if (input.passengers.length !== reservation.passengers.length) return 'Error: number of passengers does not match'
    reservation.passengers = passengerRows(input.passengers)
    return structuredClone(reservation)
  }

  #reservation({ reservationId }: ReservationReference): Reservation | undefined {
    return rowOf(this.#database.reservations, reservationId)
  }

  /** Charges the reservation's owner and notes the payment, unless there is nothing to pay. */
  #charge(reservation: Reservation, paymentId: string, price: number): string | undefined {
    const user = rowOf(this.#database.users, reservation.user_id)
    if (user === undefined) throw new Error(`reservation ${reservation.reservation_id} belongs to no user`)
    const refusal = chargeChange(user, paymentId, price)
    if (refusal === undefined && price !== 0) reservation.payment_history.push({ payment_id: paymentId, amount: price })
    return refusal
  }
}

const reservationNotFound = 'Error: reservation not found'
const userNotFound = 'Error: user not found'
const certificateIds = ['certificate_3221322', 'certificate_3221323', 'certificate_3221324'] as const
