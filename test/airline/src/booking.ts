import type { AirlineDatabase } from './database.js'
import { rowOf } from './database.js'
import type { Booking, Passenger, PaymentShare } from './inputs.js'
import { priceFlights } from './pricing.js'
import type { PassengerRow, Reservation, User } from './rows.js'

const insurancePerPassenger = 30
/** Fee in dollars for each bag that is not free. */
export const baggageFee = 50
/** Fixed time of the airline. */
const now = '2024-05-15T15:00:00'

/** Creates a reservation and charges its price. If this is not possible, returns an error text and changes nothing. */
export function book(database: AirlineDatabase, booking: Booking): Reservation | string {
  const user = rowOf(database.users, booking.userId)
  if (user === undefined) return 'Error: user not found'
  const passengerCount = booking.passengers.length
  const priced = priceFlights(database.flights, {
    choices: booking.flights,
    cabin: booking.cabin,
    passengerCount,
    kept: [],
  })
  if (typeof priced === 'string') return priced

  const insurance = booking.insurance === 'yes' ? insurancePerPassenger * passengerCount : 0
  const price = priced.total + insurance + baggageFee * booking.nonfreeBaggages
  const refusal = refusedPayment(user, booking.paymentMethods, price)
  if (refusal !== undefined) return refusal
  for (const share of booking.paymentMethods) pay(user, share)

  const reservation: Reservation = {
    reservation_id: freeReservationId(database),
    user_id: booking.userId,
    origin: booking.origin,
    destination: booking.destination,
    flight_type: booking.flightType,
    cabin: booking.cabin,
    flights: priced.flights,
    passengers: passengerRows(booking.passengers),
    payment_history: booking.paymentMethods.map(({ paymentId, amount }) => ({ payment_id: paymentId, amount })),
    created_at: now,
    total_baggages: booking.totalBaggages,
    nonfree_baggages: booking.nonfreeBaggages,
    insurance: booking.insurance,
  }
  database.reservations[reservation.reservation_id] = reservation
  user.reservations.push(reservation.reservation_id)
  return reservation
}

export function passengerRows(passengers: readonly Passenger[]): PassengerRow[] {
  return passengers.map(({ firstName, lastName, dob }) => ({ first_name: firstName, last_name: lastName, dob }))
}

function refusedPayment(user: User, shares: readonly PaymentShare[], price: number): string | undefined {
  for (const { paymentId, amount } of shares) {
    const method = rowOf(user.payment_methods, paymentId)
    if (method === undefined) return `Error: payment method ${paymentId} not found`
    if (method.source !== 'credit_card' && method.amount < amount) {
      return `Error: not enough balance in payment method ${paymentId}`
    }
  }
  const paid = shares.reduce((sum, share) => sum + share.amount, 0)
  if (paid === price) return undefined
  return `Error: payment amount does not add up, total price is ${price}, but paid ${paid}`
}

/** Subtracts the amount from a gift card. Removes a certificate after its first use. */
function pay(user: User, { paymentId, amount }: PaymentShare): void {
  const method = rowOf(user.payment_methods, paymentId)
  if (method?.source === 'gift_card') method.amount -= amount
  else if (method?.source === 'certificate') delete user.payment_methods[paymentId]
}

/** Returns the id of a new reservation. As in the original, there are three ids, and a fourth booking overwrites the third. */
function freeReservationId({ reservations }: AirlineDatabase): string {
  return ['HATHAT', 'HATHAU'].find((id) => !Object.hasOwn(reservations, id)) ?? 'HATHAV'
}
