import type { Catalogue } from './catalogue-entry.js'

const example =
  'the type of the binding requires it:\n\n' +
  '    toolsets: { orders: { client, mappers: { getOrder: { payload: (payload, meta) => [ /* arguments */ ] } } } }'

/** After another way to correct it. */
const mapper = `Or write a mapper; ${example}`

/** Where nothing else helps. */
const onlyMapper = `Write a mapper; ${example}`

/** Why a payload cannot become the arguments of a method without a mapper. */
export const servicePayloadCatalogue: Catalogue = {
  TG4101: {
    title: 'A required field of the method has no source',
    cause: 'No field of the payload has its name or its words, the use does not set it, and it cannot be left out.',
    fix: `Rename a payload field to it, or set it:\n\n    { rename: { id: 'orderId' }, constants: { mode: 'fast' } }\n\n${mapper}`,
  },
  TG4102: {
    title: 'Optional in the tool, required by the method',
    cause: 'A call without the field would reach a method that needs it.',
    fix: `Require the field in the tool, or give it a default in its schema. ${mapper}`,
  },
  TG4103: {
    title: 'Payload and method have different types',
    cause: 'Nothing converts one into the other without a guess; numbers and strings, for example, are never mixed.',
    fix: `Declare in the tool what the method takes. ${mapper}`,
  },
  TG4104: {
    title: 'The method does not take null',
    cause: 'The payload field may be null. It could only be left out where the method makes it optional.',
    fix: `Make the field optional in the tool instead of nullable. ${mapper}`,
  },
  TG4105: {
    title: 'A parameter is typed any',
    cause: 'Nothing proves what a parameter of type any takes, so that no field is put there by its name alone.',
    fix: `Use an interface that types the parameter as the client type. ${mapper}`,
  },
  TG4106: {
    title: 'The method takes only certain values',
    cause: 'The payload field allows more than the literals, the enum or the template that the method accepts.',
    fix: `Give the tool the enum of the values that the method takes. ${mapper}`,
  },
  TG4107: {
    title: 'The method takes a branded type',
    cause: 'A branded string or number is made by a function of its own library; a plain one is not assignable to it.',
    fix: onlyMapper,
  },
  TG4108: {
    title: 'A string without a date format goes to a Date',
    cause: 'Only strings whose schema says date-time or date are converted into a Date.',
    fix: `Write format date-time in the schema of the field. ${mapper}`,
  },
  TG4109: {
    title: 'An array goes to a tuple or an iterable',
    cause: 'An array of any length is no tuple, and an iterable may be read in ways an array is not meant for.',
    fix: onlyMapper,
  },
  TG4110: {
    title: 'Variants of the payload need different conversions',
    cause: 'No field tells the variants of the union apart, so that no transform can be chosen.',
    fix: `Give every variant a field with a literal of its own. ${mapper}`,
  },
  TG4111: {
    title: 'The method takes an instance of a class',
    cause: 'A type with private members or with required functions cannot be made from data.',
    fix: onlyMapper,
  },
  TG4112: {
    title: 'A payload field is used by nothing',
    cause: 'The method has no field for it. A field that a model fills in and nobody reads is a mistake.',
    fix: `Rename it to a field of the method, or leave it out of the tool:\n\n    { rename: { id: 'orderId' } }\n\n${mapper}`,
  },
  TG4113: {
    title: 'The types are too large or too deep to be compared',
    cause:
      'The comparison ended after 20,000 parts or 40 levels, or a recursive part needs a conversion at a place whose ' +
      'type cannot be written.',
    fix: onlyMapper,
  },
  TG4114: {
    title: 'Any JSON goes to a certain type',
    cause: 'The schema of the field allows every value, the method does not.',
    fix: `Say in the schema what the method takes. ${mapper}`,
  },
  TG4115: {
    title: 'The compiler refuses what the generator would pass on',
    cause: 'The rules of the generator found no conversion necessary, but the generated type is not assignable.',
    fix: `Please report it with the two types. ${mapper}`,
  },
  TG4116: {
    title: 'The type that the method takes depends on a type parameter',
    cause:
      'The parameter has a conditional type such as `T extends string ? A : B`. Only a call decides `T`, so nothing is ' +
      'known of what the method takes.',
    fix: `Declare an interface whose method takes a certain type, and use it as the client type. ${mapper}`,
  },
}
