import type { AirlineDatabase } from './database.js'
import { rowOf } from './database.js'
import type { FlightSearch } from './inputs.js'
import type { AvailableDay, DatedFlightOffer, Flight, FlightOffer } from './rows.js'

type Flights = AirlineDatabase['flights']

/** Returns the bookable flights between two airports on one day. */
export function directFlights(flights: Flights, { origin, destination, date }: FlightSearch): FlightOffer[] {
  return Object.values(flights).flatMap((flight) => {
    if (flight.origin !== origin || flight.destination !== destination) return []
    const day = availableDay(flight, date)
    return day === undefined ? [] : [offer(flight, day)]
  })
}

/** Returns the bookable connections with one stop whose first flight starts on the given day. */
export function oneStopFlights(flights: Flights, search: FlightSearch): [DatedFlightOffer, DatedFlightOffer][] {
  const all = Object.values(flights)
  const lastLegs = all.filter((flight) => flight.destination === search.destination)
  return all
    .filter((flight) => flight.origin === search.origin)
    .flatMap((first) =>
      lastLegs.flatMap((second) => {
        const connection = connect(first, second, search.date)
        return connection === undefined ? [] : [connection]
      }),
    )
}

function connect(first: Flight, second: Flight, date: string): [DatedFlightOffer, DatedFlightOffer] | undefined {
  if (first.destination !== second.origin) return undefined
  // As in the original, times are compared as text, even if the first flight lands on the next day.
  if (first.scheduled_arrival_time_est > second.scheduled_departure_time_est) return undefined
  const secondDate = first.scheduled_arrival_time_est.includes('+1') ? nextDay(date) : date
  const firstDay = availableDay(first, date)
  // As in the original, the second flight must be bookable on its own day, but shows the seats and prices of the first day.
  const shownDay = availableDay(second, date)
  if (firstDay === undefined || shownDay === undefined || availableDay(second, secondDate) === undefined)
    return undefined
  return [
    { ...offer(first, firstDay), date },
    { ...offer(second, shownDay), date: secondDate },
  ]
}

/** Returns the next day. The database contains only May 2024. */
function nextDay(date: string): string {
  return `2024-05-${Number(date.slice(-2)) + 1}`
}

function availableDay(flight: Flight, date: string): AvailableDay | undefined {
  const day = rowOf(flight.dates, date)
  return day?.status === 'available' ? day : undefined
}

function offer(flight: Flight, day: AvailableDay): FlightOffer {
  return {
    flight_number: flight.flight_number,
    origin: flight.origin,
    destination: flight.destination,
    scheduled_departure_time_est: flight.scheduled_departure_time_est,
    scheduled_arrival_time_est: flight.scheduled_arrival_time_est,
    ...structuredClone(day),
  }
}
