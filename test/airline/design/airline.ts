import { defineTool, defineToolset } from '@toolgen/dsl'
import {
  cabin,
  connections,
  flightChoice,
  flightType,
  offers,
  passengerChoices,
  paymentId,
  reservationOrText,
  text,
  userOrText,
  yesNo,
} from './schemas.js'

/** Tools of tau-bench's airline. The payloads are those of its tool definitions, the results those that its database prints. */
export const airline = defineToolset('airline', {
  description: 'Look up, book, change and cancel flight reservations.',
  tools: {
    book_reservation: defineTool({
      description: 'Book a reservation.',
      payload: {
        type: 'object',
        properties: {
          user_id: {
            type: 'string',
            description: "The ID of the user to book the reservation, such as 'sara_doe_496'.",
          },
          origin: { type: 'string', description: "The IATA code for the origin city, such as 'SFO'." },
          destination: { type: 'string', description: "The IATA code for the destination city, such as 'JFK'." },
          flight_type: flightType,
          cabin,
          flights: {
            type: 'array',
            description: 'An array of objects containing details about each piece of flight.',
            items: flightChoice,
          },
          passengers: passengerChoices,
          payment_methods: {
            type: 'array',
            description: 'An array of objects containing details about each payment method.',
            items: {
              type: 'object',
              properties: {
                payment_id: paymentId,
                amount: { type: 'number', description: 'The amount to be paid.' },
              },
              required: ['payment_id', 'amount'],
            },
          },
          total_baggages: {
            type: 'integer',
            description: 'The total number of baggage items included in the reservation.',
          },
          nonfree_baggages: {
            type: 'integer',
            description: 'The number of non-free baggage items included in the reservation.',
          },
          insurance: yesNo,
        },
        required: [
          'user_id',
          'origin',
          'destination',
          'flight_type',
          'cabin',
          'flights',
          'passengers',
          'payment_methods',
          'total_baggages',
          'nonfree_baggages',
          'insurance',
        ],
      },
      result: reservationOrText,
    }),

    calculate: defineTool({
      description: 'Calculate the result of a mathematical expression.',
      payload: {
        type: 'object',
        properties: {
          expression: {
            type: 'string',
            description:
              "The mathematical expression to calculate, such as '2 + 2'. The expression can contain numbers, operators (+, -, *, /), parentheses, and spaces.",
          },
        },
        required: ['expression'],
      },
      result: text,
    }),

    cancel_reservation: defineTool({
      description: 'Cancel the whole reservation.',
      payload: {
        type: 'object',
        properties: {
          reservation_id: { type: 'string', description: "The reservation ID, such as 'ZFA04Y'." },
        },
        required: ['reservation_id'],
      },
      result: reservationOrText,
    }),

    get_reservation_details: defineTool({
      description: 'Get the details of a reservation.',
      payload: {
        type: 'object',
        properties: {
          reservation_id: { type: 'string', description: "The reservation id, such as '8JX2WO'." },
        },
        required: ['reservation_id'],
      },
      result: reservationOrText,
    }),

    get_user_details: defineTool({
      description: 'Get the details of an user, including their reservations.',
      payload: {
        type: 'object',
        properties: { user_id: { type: 'string', description: "The user id, such as 'sara_doe_496'." } },
        required: ['user_id'],
      },
      result: userOrText,
    }),

    list_all_airports: defineTool({
      description: 'List all airports and their cities.',
      payload: { type: 'object', properties: {}, required: [] },
      result: { type: 'object', additionalProperties: { type: 'string' } },
    }),

    search_direct_flight: defineTool({
      description: 'Search direct flights between two cities on a specific date.',
      payload: {
        type: 'object',
        properties: {
          origin: { type: 'string', description: "The origin city airport in three letters, such as 'JFK'." },
          destination: { type: 'string', description: "The destination city airport in three letters, such as 'LAX'." },
          date: {
            type: 'string',
            description: "The date of the flight in the format 'YYYY-MM-DD', such as '2024-01-01'.",
          },
        },
        required: ['origin', 'destination', 'date'],
      },
      result: offers,
    }),

    search_onestop_flight: defineTool({
      description: 'Search direct flights between two cities on a specific date.',
      payload: {
        type: 'object',
        properties: {
          origin: { type: 'string', description: "The origin city airport in three letters, such as 'JFK'." },
          destination: { type: 'string', description: "The destination city airport in three letters, such as 'LAX'." },
          date: {
            type: 'string',
            description: "The date of the flight in the format 'YYYY-MM-DD', such as '2024-05-01'.",
          },
        },
        required: ['origin', 'destination', 'date'],
      },
      result: connections,
    }),

    send_certificate: defineTool({
      description: 'Send a certificate to a user. Be careful!',
      payload: {
        type: 'object',
        properties: {
          user_id: {
            type: 'string',
            description: "The ID of the user to book the reservation, such as 'sara_doe_496'.",
          },
          amount: { type: 'number', description: 'Certificate amount to send.' },
        },
        required: ['user_id', 'amount'],
      },
      result: text,
    }),

    think: defineTool({
      description:
        'Use the tool to think about something. It will not obtain new information or change the database, but just append the thought to the log. Use it when complex reasoning is needed.',
      payload: {
        type: 'object',
        properties: { thought: { type: 'string', description: 'A thought to think about.' } },
        required: ['thought'],
      },
      result: text,
    }),

    transfer_to_human_agents: defineTool({
      description:
        "Transfer the user to a human agent, with a summary of the user's issue. Only transfer if the user explicitly asks for a human agent, or if the user's issue cannot be resolved by the agent with the available tools.",
      payload: {
        type: 'object',
        properties: { summary: { type: 'string', description: "A summary of the user's issue." } },
        required: ['summary'],
      },
      result: text,
    }),

    update_reservation_baggages: defineTool({
      description: 'Update the baggage information of a reservation.',
      payload: {
        type: 'object',
        properties: {
          reservation_id: { type: 'string', description: "The reservation ID, such as 'ZFA04Y'." },
          total_baggages: {
            type: 'integer',
            description: 'The updated total number of baggage items included in the reservation.',
          },
          nonfree_baggages: {
            type: 'integer',
            description: 'The updated number of non-free baggage items included in the reservation.',
          },
          payment_id: paymentId,
        },
        required: ['reservation_id', 'total_baggages', 'nonfree_baggages', 'payment_id'],
      },
      result: reservationOrText,
    }),

    update_reservation_flights: defineTool({
      description: 'Update the flight information of a reservation.',
      payload: {
        type: 'object',
        properties: {
          reservation_id: { type: 'string', description: "The reservation ID, such as 'ZFA04Y'." },
          cabin,
          flights: {
            type: 'array',
            description:
              'An array of objects containing details about each piece of flight in the ENTIRE new reservation. Even if the a flight segment is not changed, it should still be included in the array.',
            items: flightChoice,
          },
          payment_id: paymentId,
        },
        required: ['reservation_id', 'cabin', 'flights', 'payment_id'],
      },
      result: reservationOrText,
    }),

    update_reservation_passengers: defineTool({
      description: 'Update the passenger information of a reservation.',
      payload: {
        type: 'object',
        properties: {
          reservation_id: { type: 'string', description: "The reservation ID, such as 'ZFA04Y'." },
          passengers: passengerChoices,
        },
        required: ['reservation_id', 'passengers'],
      },
      result: reservationOrText,
    }),
  },
})
