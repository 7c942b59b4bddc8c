/**
 * Rows of the airline database, with the names of the database. `ReservedFlight` must be a type alias: unlike an interface, an alias is assignable
 * to a type with an index signature.
 */

export type Cabin = 'basic_economy' | 'economy' | 'business'
export type FlightType = 'one_way' | 'round_trip'
export type YesNo = 'yes' | 'no'

/** One number per cabin: free seats, or a price in dollars. */
export interface PerCabin {
  basic_economy: number
  economy: number
  business: number
}

/** A bookable flight on one day. */
export interface AvailableDay {
  status: 'available'
  available_seats: PerCabin
  prices: PerCabin
}

export type FlightDay =
  | AvailableDay
  | { status: 'on time' | 'delayed'; estimated_departure_time_est: string; estimated_arrival_time_est: string }
  | { status: 'flying'; actual_departure_time_est: string; estimated_arrival_time_est: string }
  | { status: 'landed'; actual_departure_time_est: string; actual_arrival_time_est: string }
  | { status: 'cancelled' }

/** Data of a flight that are the same on all days. */
export interface FlightSchedule {
  flight_number: string
  origin: string
  destination: string
  /** `HH:MM:SS`. */
  scheduled_departure_time_est: string
  /** `HH:MM:SS`, with the suffix `+1` if the flight lands on the next day. */
  scheduled_arrival_time_est: string
}

export interface Flight extends FlightSchedule {
  /** Days (`YYYY-MM-DD`) with their flights. */
  dates: Record<string, FlightDay>
}

/** Flight of a reservation. `price` is the price per passenger, in dollars. */
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

/** Payment (positive) or refund (negative), in dollars. */
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
  /** Set only for cancelled reservations. */
  status?: 'cancelled'
}

export interface CreditCard {
  source: 'credit_card'
  brand: string
  last_four: string
  id: string
}

/** Gift card or certificate. `amount` is the remaining amount in dollars. */
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

/** Flight in a search result: its schedule, and the seats and prices of one day. */
export interface FlightOffer extends FlightSchedule, AvailableDay {}

/** Flight of a connection, with its day. */
export interface DatedFlightOffer extends FlightOffer {
  date: string
}
