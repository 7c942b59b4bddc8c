/**
 * The rows of the airline database, spelled as stored. Reservation flights are a type alias on purpose: an alias, unlike
 * an interface, is assignable to a type with an index signature.
 */

export type Cabin = 'basic_economy' | 'economy' | 'business'
export type FlightType = 'one_way' | 'round_trip'
export type YesNo = 'yes' | 'no'

/** One number for each cabin: seats left, or a price in dollars. */
export interface PerCabin {
  basic_economy: number
  economy: number
  business: number
}

/** A flight on a day on which it can be booked. */
export interface AvailableDay {
  status: 'available'
  available_seats: PerCabin
  prices: PerCabin
}

/** A flight on one day. */
export type FlightDay =
  | AvailableDay
  | { status: 'on time' | 'delayed'; estimated_departure_time_est: string; estimated_arrival_time_est: string }
  | { status: 'flying'; actual_departure_time_est: string; estimated_arrival_time_est: string }
  | { status: 'landed'; actual_departure_time_est: string; actual_arrival_time_est: string }
  | { status: 'cancelled' }

/** When and where a flight flies, whatever the day. */
export interface FlightSchedule {
  flight_number: string
  origin: string
  destination: string
  /** `HH:MM:SS`. */
  scheduled_departure_time_est: string
  /** `HH:MM:SS`, with `+1` behind it where the flight lands on the next day. */
  scheduled_arrival_time_est: string
}

export interface Flight extends FlightSchedule {
  /** By day, `YYYY-MM-DD`. */
  dates: Record<string, FlightDay>
}

/** One flight of a reservation; `price` is per passenger. */
export type ReservedFlight = {
  origin: string
  destination: string
  flight_number: string
  date: string
  price: number
}

export interface PassengerRow {
  first_name: string
  last_name: string
  dob: string
}

/** Money taken (positive) or given back (negative), in dollars. */
export interface PaymentRow {
  payment_id: string
  amount: number
}

export interface Reservation {
  reservation_id: string
  user_id: string
  origin: string
  destination: string
  flight_type: FlightType
  cabin: Cabin
  flights: ReservedFlight[]
  passengers: PassengerRow[]
  payment_history: PaymentRow[]
  created_at: string
  total_baggages: number
  nonfree_baggages: number
  insurance: YesNo
  /** Present once the reservation is cancelled. */
  status?: 'cancelled'
}

export interface CreditCard {
  source: 'credit_card'
  brand: string
  last_four: string
  id: string
}

/** A gift card or a certificate: what is left on it, in dollars. */
export interface StoredValue {
  source: 'gift_card' | 'certificate'
  amount: number
  id: string
}

export type PaymentMethod = CreditCard | StoredValue

export interface Address {
  address1: string
  address2: string
  city: string
  country: string
  state: string
  zip: string
}

export interface User {
  name: { first_name: string; last_name: string }
  address: Address
  email: string
  dob: string
  payment_methods: Record<string, PaymentMethod>
  saved_passengers: PassengerRow[]
  membership: 'regular' | 'silver' | 'gold'
  reservations: string[]
}

/** A flight as a search lists it: its schedule and what is left on one day. */
export interface FlightOffer extends FlightSchedule, AvailableDay {}

/** A flight of a connection, with the day on which it leaves. */
export interface DatedFlightOffer extends FlightOffer {
  date: string
}
