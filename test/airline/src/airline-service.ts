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
 * Service of the airline over one database, which it changes. If a request is not possible, the service returns a text that begins with `Error: ` and
 * changes nothing. It returns copies of rows, with the names and the key order of the database.
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

  /** Books flights for passengers. The sum of the payments must equal the price. */
  async bookReservation(input: Booking): Promise<Reservation | string> {
    return structuredClone(book(this.#database, input))
  }

  /** Returns the value of an expression, rounded to cents: `'456.0'`. */
  async calculate(expression: string): Promise<string> {
    return calculate(expression)
  }

  /** Cancels a reservation and refunds all payments. */
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

  /** Returns the cities by airport code. */
  async listAllAirports(): Promise<Record<string, string>> {
    return { ...cityByAirport }
  }

  async searchDirectFlight(origin: string, destination: string, date: string): Promise<FlightOffer[]> {
    return directFlights(this.#database.flights, { origin, destination, date })
  }

  /** Returns pairs of flights. The second flight starts at the airport where the first one lands. */
  async searchOnestopFlight(input: FlightSearch): Promise<[DatedFlightOffer, DatedFlightOffer][]> {
    return oneStopFlights(this.#database.flights, input)
  }

  /** Adds a certificate to the payment methods of a user. The database has ids for three certificates per user. */
  async sendCertificate({ userId, amount }: CertificateGrant): Promise<string> {
    const user = rowOf(this.#database.users, userId)
    if (user === undefined) return userNotFound
    const id = certificateIds.find((candidate) => !Object.hasOwn(user.payment_methods, candidate))
    if (id === undefined) throw new Error(`user ${userId} holds all of ${certificateIds.join(', ')}`)
    user.payment_methods[id] = { source: 'certificate', amount, id }
    return `Certificate ${id} added to user ${userId} with amount ${amount}.`
  }

  /** Accepts a thought and returns an empty text. */
  async think(_thought: string): Promise<string> {
    return ''
  }

  async transferToHumanAgents(_summary: string): Promise<string> {
    return 'Transfer successful'
  }

  /** Changes the number of bags. Charges additional non-free bags, and refunds nothing for fewer bags. */
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
   * Replaces the flights, and charges or refunds the difference. Flights that stay in the same cabin keep their price. As in the original, the
   * property `cabin` of the reservation does not change.
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

  /** Replaces the passengers. Their number must stay the same. */
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

  /** Charges the owner of the reservation and records the payment. Does nothing if the price is 0. */
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
