/** JSON Schemas that several tools of the airline share. */

/** Plain text: a refusal such as `Error: user not found`, or a notice. */
export const text = { type: 'string' } as const

export const cabin = { type: 'string', enum: ['basic_economy', 'economy', 'business'] } as const
export const flightType = { type: 'string', enum: ['one_way', 'round_trip'] } as const
export const yesNo = { type: 'string', enum: ['yes', 'no'] } as const

/** Payload: the chosen flights. The tool definitions describe the list in different words. */
export const flightChoice = {
  type: 'object',
  properties: {
    flight_number: { type: 'string', description: "Flight number, such as 'HAT001'." },
    date: {
      type: 'string',
      description: "The date for the flight in the format 'YYYY-MM-DD', such as '2024-05-01'.",
    },
  },
  required: ['flight_number', 'date'],
} as const

/** Payload: the passengers. */
export const passengerChoices = {
  type: 'array',
  description: 'An array of objects containing details about each passenger.',
  items: {
    type: 'object',
    properties: {
      first_name: { type: 'string', description: "The first name of the passenger, such as 'Noah'." },
      last_name: { type: 'string', description: "The last name of the passenger, such as 'Brown'." },
      dob: {
        type: 'string',
        description: "The date of birth of the passenger in the format 'YYYY-MM-DD', such as '1990-01-01'.",
      },
    },
    required: ['first_name', 'last_name', 'dob'],
  },
} as const

export const paymentId = {
  type: 'string',
  description:
    "The payment id stored in user profile, such as 'credit_card_7815826', 'gift_card_7815826', 'certificate_7815826'.",
} as const

const passenger = {
  type: 'object',
  properties: { first_name: { type: 'string' }, last_name: { type: 'string' }, dob: { type: 'string' } },
  required: ['first_name', 'last_name', 'dob'],
} as const

/**
 * A flight of a reservation. The schema declares no properties, because a codec writes declared properties in declared order. Stored and newly booked
 * flights have different orders, which must not change.
 */
const reservedFlight = {
  type: 'object',
  additionalProperties: { type: ['string', 'number'] },
  required: ['origin', 'destination', 'flight_number', 'date', 'price'],
} as const

const reservation = {
  type: 'object',
  properties: {
    reservation_id: { type: 'string' },
    user_id: { type: 'string' },
    origin: { type: 'string' },
    destination: { type: 'string' },
    flight_type: flightType,
    cabin,
    flights: { type: 'array', items: reservedFlight },
    passengers: { type: 'array', items: passenger },
    payment_history: {
      type: 'array',
      items: {
        type: 'object',
        properties: { payment_id: { type: 'string' }, amount: { type: 'number' } },
        required: ['payment_id', 'amount'],
      },
    },
    created_at: { type: 'string' },
    total_baggages: { type: 'integer' },
    nonfree_baggages: { type: 'integer' },
    insurance: yesNo,
    status: { type: 'string', const: 'cancelled', description: 'Present once the reservation is cancelled.' },
  },
  required: [
    'reservation_id',
    'user_id',
    'origin',
    'destination',
    'flight_type',
    'cabin',
    'flights',
    'passengers',
    'payment_history',
    'created_at',
    'total_baggages',
    'nonfree_baggages',
    'insurance',
  ],
} as const

/** Result: a reservation, or an error text. */
export const reservationOrText = { anyOf: [reservation, text] } as const

const storedValue = (source: 'gift_card' | 'certificate') =>
  ({
    type: 'object',
    properties: { source: { type: 'string', const: source }, amount: { type: 'number' }, id: { type: 'string' } },
    required: ['source', 'amount', 'id'],
  }) as const

const creditCard = {
  type: 'object',
  properties: {
    source: { type: 'string', const: 'credit_card' },
    brand: { type: 'string' },
    last_four: { type: 'string' },
    id: { type: 'string' },
  },
  required: ['source', 'brand', 'last_four', 'id'],
} as const

const user = {
  type: 'object',
  properties: {
    name: {
      type: 'object',
      properties: { first_name: { type: 'string' }, last_name: { type: 'string' } },
      required: ['first_name', 'last_name'],
    },
    address: {
      type: 'object',
      properties: {
        address1: { type: 'string' },
        address2: { type: 'string' },
        city: { type: 'string' },
        country: { type: 'string' },
        state: { type: 'string' },
        zip: { type: 'string' },
      },
      required: ['address1', 'address2', 'city', 'country', 'state', 'zip'],
    },
    email: { type: 'string' },
    dob: { type: 'string' },
    payment_methods: {
      type: 'object',
      additionalProperties: { anyOf: [creditCard, storedValue('gift_card'), storedValue('certificate')] },
    },
    saved_passengers: { type: 'array', items: passenger },
    membership: { type: 'string', enum: ['regular', 'silver', 'gold'] },
    reservations: { type: 'array', items: { type: 'string' } },
  },
  required: ['name', 'address', 'email', 'dob', 'payment_methods', 'saved_passengers', 'membership', 'reservations'],
} as const

/** Result: the profile of a user, or an error text. */
export const userOrText = { anyOf: [user, text] } as const

const integerPerCabin = {
  type: 'object',
  properties: { basic_economy: { type: 'integer' }, economy: { type: 'integer' }, business: { type: 'integer' } },
  required: ['basic_economy', 'economy', 'business'],
} as const

const offerProperties = {
  flight_number: { type: 'string' },
  origin: { type: 'string' },
  destination: { type: 'string' },
  scheduled_departure_time_est: { type: 'string' },
  scheduled_arrival_time_est: { type: 'string' },
  status: { type: 'string', const: 'available' },
  available_seats: integerPerCabin,
  prices: integerPerCabin,
} as const

const offerRequired = [
  'flight_number',
  'origin',
  'destination',
  'scheduled_departure_time_est',
  'scheduled_arrival_time_est',
  'status',
  'available_seats',
  'prices',
] as const

const datedOffer = {
  type: 'object',
  properties: { ...offerProperties, date: { type: 'string' } },
  required: [...offerRequired, 'date'],
} as const

/** Result: bookable flights. */
export const offers = {
  type: 'array',
  items: { type: 'object', properties: offerProperties, required: offerRequired },
} as const

/** Result: pairs of bookable connecting flights. */
export const connections = {
  type: 'array',
  items: { type: 'array', prefixItems: [datedOffer, datedOffer], items: false, minItems: 2 },
} as const
