// Schemas of the questions that the suite expects.
const string = { type: 'string' }
const titled = (values) => values.map(([value, title]) => ({ const: value, title }))

export const person = {
  type: 'object',
  properties: {
    username: { ...string, description: "User's response" },
    email: { ...string, description: "User's email address" },
  },
  required: ['username', 'email'],
}

export const defaults = {
  type: 'object',
  properties: {
    name: { ...string, default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { ...string, enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
}

const options = ['option1', 'option2', 'option3']

/** All forms of a choice. `enumNames` is the deprecated form. */
export const choices = {
  type: 'object',
  properties: {
    untitledSingle: { ...string, enum: options },
    titledSingle: {
      ...string,
      oneOf: titled([
        ['value1', 'First Option'],
        ['value2', 'Second Option'],
        ['value3', 'Third Option'],
      ]),
    },
    legacyEnum: {
      ...string,
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { ...string, enum: options } },
    titledMulti: {
      type: 'array',
      items: {
        anyOf: titled([
          ['value1', 'First Choice'],
          ['value2', 'Second Choice'],
          ['value3', 'Third Choice'],
        ]),
      },
    },
  },
}
