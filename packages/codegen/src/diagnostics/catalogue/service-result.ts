import type { Catalogue } from './catalogue-entry.js'

const example =
  'the type of the binding requires it:\n\n' +
  '    toolsets: { orders: { client, mappers: { getOrder: { result: (answer, meta) => ({ /* the result */ }) } } } }'

/** After another way to correct it. */
const mapper = `Or write a mapper; ${example}`

/** Where nothing else helps. */
const onlyMapper = `Write a mapper; ${example}`

const checked =
  'Write `result: { checked: true }` in the use, so that the result codec decides at run time (a result that does not fit ' +
  'fails as malformed_result). Of a stream, one item that does not fit would end the whole call: write an `update` mapper, ' +
  'which answers undefined for an item that is no update, and a `result` mapper.'

/** Why a method's answer cannot become the tool's result without a mapper. */
export const serviceResultCatalogue: Catalogue = {
  TG4200: {
    title: 'A required field of the result is not in the answer',
    cause: 'No field of the answer has its name or its words.',
    fix: `If the answer is wrapped, write \`result: { from: 'data' }\` in the use. ${mapper}`,
  },
  TG4201: {
    title: 'The answer is typed any or unknown',
    cause: 'Nothing is known about what the method answers.',
    fix: `${checked} ${mapper}`,
  },
  TG4202: {
    title: 'The answer may lack what the tool requires',
    cause: 'The method declares the value optional or possibly undefined.',
    fix: `Make the field optional in the tool. ${checked} ${mapper}`,
  },
  TG4203: {
    title: 'Answer and result have different types',
    cause: 'Nothing converts one into the other without a guess; numbers and strings, for example, are never mixed.',
    fix: `Declare in the tool what the method answers. ${mapper}`,
  },
  TG4204: {
    title: 'The answer may be null',
    cause: 'The method declares that the value may be null; the tool does not allow null.',
    fix: `Make the field nullable or optional in the tool. ${checked} ${mapper}`,
  },
  TG4205: {
    title: 'A result field is a method of the answer',
    cause: 'The answer is an object with functions, and the field names one of them.',
    fix: onlyMapper,
  },
  TG4206: {
    title: 'The answer has more values than the tool allows',
    cause: 'The method declares a string or literals that the enum of the tool does not have.',
    fix: `Add the values to the tool. ${checked} ${mapper}`,
  },
  TG4208: {
    title: 'A Date goes to a date without time',
    cause: 'Which day a moment falls on depends on a time zone that nobody stated.',
    fix: `Declare a date-time in the tool. ${mapper}`,
  },
  TG4209: {
    title: 'A result field is a promise',
    cause: 'The answer holds a promise or another thenable inside; awaiting it may cost another request.',
    fix: onlyMapper,
  },
  TG4210: {
    title: 'Only some alternatives of the answer fit',
    cause:
      'The method answers a union. Some alternatives lack what the tool requires, or the alternatives need different ' +
      'conversions and no property distinguishes them.',
    fix:
      `Where some alternatives lack a field, make it optional in the tool. ${checked} Where they need different ` +
      `conversions, give each alternative a property with a literal of its own. ${mapper}`,
  },
  TG4211: {
    title: 'The method streams and the tool does not',
    cause: 'The method answers an async iterable, and the tool does not say what its items are.',
    fix:
      'Declare `streaming: { updates }` in the tool. Each item is then an update, and the result is the list of all items ' +
      `or, with \`collect: 'last'\` in the use, the last one. Or read the stream in a mapper; ${example}`,
  },
  TG4212: {
    title: 'Nobody makes an optional field of the result',
    cause: 'The answer has no field of this name or these words, so that the result would never have it.',
    fix: `Leave the field out of the tool. ${mapper}`,
  },
  TG4213: {
    title: 'A required field comes from an index signature',
    cause: 'The method declares that the answer has fields of any name, not that it has this one.',
    fix: `Make the field optional in the tool. ${checked} ${mapper}`,
  },
  TG4214: {
    title: 'The answer holds what JSON does not carry',
    cause: 'A date, a bigint, a function or another value without a JSON form stands where the tool takes any JSON.',
    fix: `Say in the tool which fields the result has. ${mapper}`,
  },
  TG4215: {
    title: 'The compiler refuses what the generator would pass on',
    cause: 'The rules of the generator found no conversion necessary, but the answer is not assignable to the result.',
    fix: `Please report it with the two types. ${mapper}`,
  },
  TG4216: {
    title: 'The type of the answer depends on a type parameter',
    cause:
      'The method answers a conditional type such as `T extends readonly (infer Item)[] ? Item : T`. Only a call decides ' +
      '`T`, so nothing is known of the answer.',
    fix: `${checked} ${mapper}`,
  },
}
