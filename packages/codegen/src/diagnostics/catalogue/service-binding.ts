import type { Catalogue } from './catalogue-entry.js'

/** Mistakes in how a design binds tools to a service client. */
export const serviceBindingCatalogue: Catalogue = {
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
