import type { Catalogue } from './diagnostic.js'

/** Mistakes in how a design binds tools to a service client. */
const serviceBindingCatalogue: Catalogue = {
  TG4001: {
    title: 'The service client is not exported',
    cause:
      'Generated code refers to the client by an exported name of its module. There is no such module or name, or the ' +
      'name is no service client.',
    fix:
      'Export the client from a module of its own:\n\n' +
      '    export const ordersClient = serviceClient<OrdersClient>()',
  },
  TG4002: {
    title: 'A name in the client module does not exist',
    cause:
      "The compiler cannot find a module or a name that the client's module uses. The client's type would silently be " +
      'read as any, and nothing could be proven about its methods.',
    fix: 'Correct the import, or install the package (and its types) in the project of the design.',
  },
  TG4003: {
    title: 'A type of the client cannot be resolved',
    cause:
      "A type that the client's methods use comes from a package or a library that the project does not have, so that " +
      'the compiler reads it as any.',
    fix:
      'Install the package or its @types package, or name the missing library in `lib` or `types` of tsconfig.json. Or ' +
      'declare a narrower interface and use it as the client type.',
  },
  TG4004: {
    title: 'The client type has no methods',
    cause: 'The type argument of serviceClient is missing, or it is any, unknown or an empty object.',
    fix: 'Give the type of the client that the application will pass:\n\n    serviceClient<OrdersClient>()',
  },
  TG4005: {
    title: 'The client has no such method',
    cause: 'The method of a tool (its own name, unless the use gives another) is not a member of the client type.',
    fix: "Add a method of that name to the client. Where there is one that does it under another name, name it in the use; dots lead into members:\n\n    fromService(orders, client, { tools: { getCustomer: { method: 'customers.retrieve' } } })",
  },
  TG4006: {
    title: 'What the use names is no method that can be called',
    cause:
      'The path leads to a value, to a group of methods, or to a private or protected method, which generated code ' +
      'cannot call.',
    fix: "Name a public method:\n\n    fromService(orders, client, { tools: { getCustomer: { method: 'customers.retrieve' } } })",
  },
  TG4007: {
    title: 'A rename leads nowhere',
    cause:
      'The method has neither a parameter nor a field of the name to which the payload field is renamed, or the payload has ' +
      'no field of the name that is renamed.',
    fix: "Write `rename: { payloadField: 'methodField' }` with a name that the method declares.",
  },
  TG4008: {
    title: 'A constant has no place',
    cause: 'The method has neither a parameter nor a field of the name that the use sets.',
    fix: 'Write `constants: { methodField: value }` with a name that the method declares.',
  },
  TG4009: {
    title: 'A constant has the wrong type',
    cause: 'The value that the use sets is not assignable to the type that the method declares.',
    fix: 'Set another value, or leave it out and supply the arguments by a mapper in the binding of the application.',
  },
  TG4010: {
    title: 'The signature cannot be named',
    cause:
      'TypeScript gives access to the last eight signatures of an overloaded method. The one that fits the tool stands ' +
      'before them.',
    fix: 'Declare an interface with only the signature that you mean, and use it as the client type.',
  },
  TG4011: {
    title: 'There is no stream to collect',
    cause:
      '`collect` says what the result of a streaming tool is made of. Either the tool is not declared as streaming or its ' +
      'method answers once, so that it would have no effect.',
    fix:
      'Leave `collect` out. If updates are meant, declare them in the tool and name a method that answers an async ' +
      "iterable:\n\n    streaming: { updates: z.object({ line: z.string() }) }\n\n    fromService(logs, client, { tools: { tail: { method: 'follow', collect: 'last' } } })",
  },
  TG4302: {
    title: 'Only an index signature takes the field',
    cause:
      'The type that takes the field does not declare it; its index signature (`[name: string]: ...`) accepts any name. A ' +
      'misspelled name would look the same, so this is a warning. A field that the type declares must fit its declared ' +
      'type: it needs a mapper where it does not, even where the index signature would accept it.',
    fix:
      'Compare the name with what the service documents, and rename the field where the method calls it otherwise:\n\n' +
      "    { rename: { orderId: 'order' } }\n\nAn interface without the index signature as the client type proves the name.",
  },
  TG4303: {
    title: 'The types of a method cannot be compared because of a bug',
    cause:
      'toolgen failed while it compared the types of the method with those of the tool. Your design is not the cause. ' +
      'All other tools are generated; this one needs mappers.',
    fix:
      'Give the mappers that the type of the binding requires, and report the type of the method. TOOLGEN_DEBUG=1 adds ' +
      'the stack:\n\n    toolsets: { orders: { client, mappers: { getOrder: { payload: (payload, meta) => [ /* arguments */ ], result: (answer, meta) => ({ /* the result */ }) } } } }',
  },
}

const example =
  'the type of the binding requires it:\n\n' +
  '    toolsets: { orders: { client, mappers: { getOrder: { payload: (payload, meta) => [ /* arguments */ ] } } } }'

/** After another way to correct it. */
const mapper = `Or write a mapper; ${example}`

/** The fix if nothing else helps. */
const onlyMapper = `Write a mapper; ${example}`

/** The reasons why a payload cannot become the arguments of a method without a mapper. */
const servicePayloadCatalogue: Catalogue = {
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

const resultExample =
  'the type of the binding requires it:\n\n' +
  '    toolsets: { orders: { client, mappers: { getOrder: { result: (answer, meta) => ({ /* the result */ }) } } } }'

/** After another way to correct it. */
const resultMapper = `Or write a mapper; ${resultExample}`

/** The fix if nothing else helps. */
const onlyResultMapper = `Write a mapper; ${resultExample}`

const checked =
  'Write `result: { checked: true }` in the use, so that the result codec decides at run time (a result that does not fit ' +
  'fails as malformed_result). Of a stream, one item that does not fit would end the whole call: write an `update` mapper, ' +
  'which answers undefined for an item that is no update, and a `result` mapper.'

/** The reasons why a response cannot become the tool's result without a mapper. */
const serviceResultCatalogue: Catalogue = {
  TG4200: {
    title: 'A required field of the result is not in the answer',
    cause: 'No field of the answer has its name or its words.',
    fix: `If the answer is wrapped, write \`result: { from: 'data' }\` in the use. ${resultMapper}`,
  },
  TG4201: {
    title: 'The answer is typed any or unknown',
    cause: 'Nothing is known about what the method answers.',
    fix: `${checked} ${resultMapper}`,
  },
  TG4202: {
    title: 'The answer may lack what the tool requires',
    cause: 'The method declares the value optional or possibly undefined.',
    fix: `Make the field optional in the tool. ${checked} ${resultMapper}`,
  },
  TG4203: {
    title: 'Answer and result have different types',
    cause: 'Nothing converts one into the other without a guess; numbers and strings, for example, are never mixed.',
    fix: `Declare in the tool what the method answers. ${resultMapper}`,
  },
  TG4204: {
    title: 'The answer may be null',
    cause: 'The method declares that the value may be null; the tool does not allow null.',
    fix: `Make the field nullable or optional in the tool. ${checked} ${resultMapper}`,
  },
  TG4205: {
    title: 'A result field is a method of the answer',
    cause: 'The answer is an object with functions, and the field names one of them.',
    fix: onlyResultMapper,
  },
  TG4206: {
    title: 'The answer has more values than the tool allows',
    cause: 'The method declares a string or literals that the enum of the tool does not have.',
    fix: `Add the values to the tool. ${checked} ${resultMapper}`,
  },
  TG4208: {
    title: 'A Date goes to a date without time',
    cause: 'Which day a moment falls on depends on a time zone that nobody stated.',
    fix: `Declare a date-time in the tool. ${resultMapper}`,
  },
  TG4209: {
    title: 'A result field is a promise',
    cause: 'The answer holds a promise or another thenable inside; awaiting it may cost another request.',
    fix: onlyResultMapper,
  },
  TG4210: {
    title: 'Only some alternatives of the answer fit',
    cause:
      'The method answers a union. Some alternatives lack what the tool requires, or the alternatives need different ' +
      'conversions and no property distinguishes them.',
    fix:
      `Where some alternatives lack a field, make it optional in the tool. ${checked} Where they need different ` +
      `conversions, give each alternative a property with a literal of its own. ${resultMapper}`,
  },
  TG4211: {
    title: 'The method streams and the tool does not',
    cause: 'The method answers an async iterable, and the tool does not say what its items are.',
    fix:
      'Declare `streaming: { updates }` in the tool. Each item is then an update, and the result is the list of all items ' +
      `or, with \`collect: 'last'\` in the use, the last one. Or read the stream in a mapper; ${resultExample}`,
  },
  TG4212: {
    title: 'Nobody makes an optional field of the result',
    cause: 'The answer has no field of this name or these words, so that the result would never have it.',
    fix: `Leave the field out of the tool. ${resultMapper}`,
  },
  TG4213: {
    title: 'A required field comes from an index signature',
    cause: 'The method declares that the answer has fields of any name, not that it has this one.',
    fix: `Make the field optional in the tool. ${checked} ${resultMapper}`,
  },
  TG4214: {
    title: 'The answer holds what JSON does not carry',
    cause: 'A date, a bigint, a function or another value without a JSON form stands where the tool takes any JSON.',
    fix: `Say in the tool which fields the result has. ${resultMapper}`,
  },
  TG4215: {
    title: 'The compiler refuses what the generator would pass on',
    cause: 'The rules of the generator found no conversion necessary, but the answer is not assignable to the result.',
    fix: `Please report it with the two types. ${resultMapper}`,
  },
  TG4216: {
    title: 'The type of the answer depends on a type parameter',
    cause:
      'The method answers a conditional type such as `T extends readonly (infer Item)[] ? Item : T`. Only a call decides ' +
      '`T`, so nothing is known of the answer.',
    fix: `${checked} ${resultMapper}`,
  },
}

/** Diagnostics of binding services. */
export const serviceCatalogue: Catalogue = {
  ...serviceBindingCatalogue,
  ...servicePayloadCatalogue,
  ...serviceResultCatalogue,
}
