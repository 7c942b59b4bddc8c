import type { AirlineDatabase } from './database.js'
import { rowOf } from './database.js'
import type { FlightChoice } from './inputs.js'
import type { Cabin, ReservedFlight, User } from './rows.js'

/** Requested flights, with cabin and number of passengers. */
export interface FlightRequest {
  choices: readonly FlightChoice[]
  cabin: Cabin
  passengerCount: number
  /** Flights that are already paid in this cabin. They keep their price and need no seat. */
  kept: readonly ReservedFlight[]
}

export interface PricedFlights {
  flights: ReservedFlight[]
  /** Price in dollars for all passengers. */
  total: number
}

/** Prices flights. Returns an error text if they are not available. */
export function priceFlights(flights: AirlineDatabase['flights'], request: FlightRequest): PricedFlights | string {
  const priced: ReservedFlight[] = []
  for (const choice of request.choices) {
    const flight = keptFlight(request.kept, choice) ?? newFlight(flights, choice, request)
    if (typeof flight === 'string') return flight
    priced.push(reservedFlight(choice, flight))
  }
  return { flights: priced, total: priceOf(priced) * request.passengerCount }
}

/** Returns the price in dollars for one passenger. */
export function priceOf(flights: readonly ReservedFlight[]): number {
  return flights.reduce((sum, flight) => sum + flight.price, 0)
}

/** Charges a payment method of a user for a change; a negative price is a refund. Returns an error text if this is not possible. */
export function chargeChange(user: User, paymentId: string, price: number): string | undefined {
  const method = rowOf(user.payment_methods, paymentId)
  if (method === undefined) return 'Error: payment method not found'
  if (method.source === 'certificate') return 'Error: certificate cannot be used to update reservation'
  if (method.source === 'credit_card') return undefined
  if (method.amount < price) return 'Error: gift card balance is not enough'
  method.amount -= price
  return undefined
}

type FlightFacts = Pick<ReservedFlight, 'origin' | 'destination' | 'price'>

function keptFlight(kept: readonly ReservedFlight[], { flightNumber, date }: FlightChoice): FlightFacts | undefined {
  return kept.find((flight) => flight.flight_number === flightNumber && flight.date === date)
}

function newFlight(
  flights: AirlineDatabase['flights'],
  { flightNumber, date }: FlightChoice,
  { cabin, passengerCount }: FlightRequest,
): FlightFacts | string {
  const flight = rowOf(flights, flightNumber)
  if (flight === undefined) return `Error: flight ${flightNumber} not found`
  const day = rowOf(flight.dates, date)
  if (day === undefined) return `Error: flight ${flightNumber} not found on date ${date}`
  if (day.status !== 'available') return `Error: flight ${flightNumber} not available on date ${date}`
  if (day.available_seats[cabin] < passengerCount) return `Error: not enough seats on flight ${flightNumber}`
  return { origin: flight.origin, destination: flight.destination, price: day.prices[cabin] }
}

/** Returns a flight of a reservation. As in the original, its key order starts with the keys of the payload, unlike in stored reservations. */
function reservedFlight(choice: FlightChoice, { price, origin, destination }: FlightFacts): ReservedFlight {
  return { flight_number: choice.flightNumber, date: choice.date, price, origin, destination }
}
