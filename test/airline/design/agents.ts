import { defineAgent, fromService } from '@toolgen/dsl'
import { airline } from './airline.js'
import { airlineClient } from './clients.js'

export const airlineAgent = defineAgent('airline', {
  description: 'Books, changes and cancels flight reservations for the customers of an airline.',
  uses: [
    fromService(airline, airlineClient, {
      tools: {
        book_reservation: { method: 'bookReservation' },
        calculate: { method: 'calculate' },
        cancel_reservation: { method: 'cancelReservation' },
        get_reservation_details: { method: 'getReservationDetails' },
        get_user_details: { method: 'getUserDetails' },
        list_all_airports: { method: 'listAllAirports' },
        search_direct_flight: { method: 'searchDirectFlight' },
        search_onestop_flight: { method: 'searchOnestopFlight' },
        send_certificate: { method: 'sendCertificate' },
        think: { method: 'think' },
        transfer_to_human_agents: { method: 'transferToHumanAgents' },
        update_reservation_baggages: { method: 'updateReservationBaggages' },
        update_reservation_flights: { method: 'updateReservationFlights' },
        update_reservation_passengers: { method: 'updateReservationPassengers' },
      },
    }),
  ],
})
