import type { Cabin, FlightType, YesNo } from './rows.js'

/** Flight that the customer chooses. */
export interface FlightChoice {
  flightNumber: string
  /** `YYYY-MM-DD`. */
  date: string
}

export interface Passenger {
  firstName: string
  lastName: string
  /** Date of birth, `YYYY-MM-DD`. */
  dob: string
}

/** Part of a payment, in dollars. */
export interface PaymentShare {
  paymentId: string
  amount: number
}

export interface FlightSearch {
  origin: string
  destination: string
  /** `YYYY-MM-DD`. */
  date: string
}

export interface ReservationReference {
  reservationId: string
}

export interface Booking {
  userId: string
  origin: string
  destination: string
  flightType: FlightType
  cabin: Cabin
  flights: FlightChoice[]
  passengers: Passenger[]
  paymentMethods: PaymentShare[]
  totalBaggages: number
  nonfreeBaggages: number
  insurance: YesNo
}

export interface BaggageChange extends ReservationReference {
  totalBaggages: number
  nonfreeBaggages: number
  paymentId: string
}

export interface FlightChange extends ReservationReference {
  cabin: Cabin
  /** All flights of the reservation after the change, including the unchanged ones. */
  flights: FlightChoice[]
  paymentId: string
}

export interface PassengerChange extends ReservationReference {
  passengers: Passenger[]
}

export interface CertificateGrant {
  userId: string
  /** Amount in dollars. */
  amount: number
}
