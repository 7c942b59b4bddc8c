import { type Details, hard, type Reason, soft } from './reason.js'

type Names = readonly string[]

/**
 * Every reason for or against a verdict on types, by case. `what` is a phrase or a name in backticks for a part of the
 * payload or the response, `name` is a bare name or path, `type` describes a type of the client, `tool` a schema of the
 * tool.
 */
export const reasons = {
  // The binding itself is wrong.
  renamedField: (name: string, near: Names): Reason =>
    hard('TG4007', `\`rename\` names \`${name}\`, which is no field of the payload`, {
      part: { of: 'rename', entry: name, side: 'name' },
      near,
    }),
  renamedTo: (name: string, to: string, near: Names): Reason =>
    hard('TG4007', `\`${name}\` is renamed to \`${to}\`, which the method does not have`, {
      part: { of: 'rename', entry: name, side: 'value' },
      near,
    }),
  notRenameable: hard(
    'TG4007',
    'the payload is no plain object, so that nothing in it can be renamed or set',
  ) as Reason,
  noFieldToSet: (name: string, near: Names, kind: 'field' | 'parameter or field'): Reason =>
    hard('TG4008', `the method has no ${kind} \`${name}\` to set`, {
      part: { of: 'constants', entry: name, side: 'name' },
      near,
    }),
  noFieldsToSet: (type: string): Reason => hard('TG4008', `${type} declares no fields to rename to or to set`),
  constant: (name: string, type: string): Reason =>
    hard('TG4009', `the constant of \`${name}\` is no ${type}`, {
      part: { of: 'constants', entry: name, side: 'value' },
    }),
  hiddenSignature: (method: string, count: number, nameable: number): Reason =>
    hard('TG4010', `\`${method}\` has ${count} signatures; the fitting one is not among the last ${nameable}`),
  collect: (why: string): Reason =>
    hard('TG4011', `\`collect\` says what becomes of a stream, and ${why}`, { part: { of: 'collect' } }),

  // From a payload to the arguments of a method.
  unresolved: (what: string): Reason => hard('TG4003', `the type of ${what} in the method cannot be resolved`),
  parameterWithoutSource: (name: string, type: string, near: Names, setTo: string | undefined): Reason =>
    hard('TG4101', `required parameter \`${name}: ${type}\` has no source`, { near, field: name, setTo }),
  fieldWithoutSource: (label: string, type: string, details: Details): Reason =>
    hard('TG4101', `required method field \`${label}: ${type}\` has no source`, details),
  optional: (label: string, type: string): Reason =>
    hard('TG4102', `\`${label}\` is optional in the tool, the method requires it (${type})`),
  exactParameter: (name: string): Reason =>
    hard('TG4102', `\`${name}\` is an element of a rest tuple, which may be left out but not be undefined`),
  takesOther: (what: string, tool: string, type: string): Reason =>
    hard('TG4103', `${what} is ${tool}, the method takes ${type}`),
  takesOtherKeys: (what: string, type: string): Reason =>
    hard('TG4103', `the keys of ${what} are strings, the method takes ${type}`),
  undeclaredConverted: (what: string): Reason => hard('TG4103', `undeclared fields of ${what} would need a conversion`),
  undeclaredOfName: (name: string): Reason =>
    hard('TG4103', `undeclared fields called \`${name}\` would need a conversion of their own`),
  nullable: (what: string, type: string): Reason => hard('TG4104', `${what} may be null, the method takes ${type}`),
  anyParameter: (name: string): Reason =>
    hard('TG4105', `parameter \`${name}\` is typed any, so that nothing proves what it takes`),
  narrower: (label: string, tool: string, type: string): Reason =>
    hard('TG4106', `\`${label}\` is ${tool}, the method takes only ${type}`),
  branded: (label: string, type: string): Reason =>
    hard('TG4107', `\`${label}\` is a plain string, the method takes ${type}`),
  dateOfOtherFormat: (label: string): Reason =>
    hard('TG4108', `\`${label}\` goes to a Date, but its format is neither date-time nor date`),
  takesIterable: (label: string, type: string): Reason =>
    hard('TG4109', `\`${label}\` is an array, the method takes ${type}`),
  takesTuple: (label: string, tool: string, type: string): Reason =>
    hard('TG4109', `\`${label}\` is ${tool}, the method takes the tuple ${type}`),
  tupleConverted: (label: string): Reason =>
    hard('TG4109', `\`${label}\` is a tuple whose items would need conversions`),
  takesSeveral: (name: string, parameter: string): Reason =>
    hard('TG4109', `\`${name}\` is no array, but \`...${parameter}\` takes several values`),
  fitsNoAlternative: (label: string): Reason => hard('TG4110', `\`${label}\` fits no alternative`),
  privateMembers: (type: string): Reason =>
    hard('TG4111', `${type} has private members, so that no plain object is one`),
  requiredFunction: (label: string): Reason =>
    hard('TG4111', `the method takes an object with the function \`${label}\``),
  unusedField: (label: string, user: 'field' | 'parameter', details: Details): Reason =>
    hard('TG4112', `payload field \`${label}\` is used by no ${user} of the method`, details),
  declaredElsewhere: (label: string, owner: string): Reason =>
    hard(
      'TG4112',
      `payload field \`${label}\` is declared by the parameter \`${owner}\`, and the other fields go to another one`,
    ),
  noObject: (near: Names): Reason => hard('TG4112', 'the payload is no object and the method takes none', { near }),
  takesNoUndeclared: (what: string): Reason => hard('TG4112', `${what} takes undeclared fields, the method does not`),
  anyJson: (what: string, type: string): Reason => hard('TG4114', `${what} may be any JSON, the method takes ${type}`),
  typeParameter: (what: string, type: string): Reason =>
    hard('TG4116', `the type of ${what} in the method, ${type}, depends on a type parameter`),
  onlyIndex: (label: string, type: string, details: Details): Reason => ({
    ...hard('TG4302', `\`${label}\` is no declared field of ${type}; only its index signature accepts it`, details),
    weight: 'note',
  }),

  // From the response of a method to the result of the tool.
  lackingField: (label: string, type: string, near: Names): Reason =>
    hard('TG4200', `required tool field \`${label}\` is not in ${type}`, { near }),
  noData: (type: string): Reason =>
    hard('TG4200', `\`result: { from: 'data' }\` asks for \`.data\`, which ${type} does not have`),
  untyped: (what: string, as: 'unknown' | 'any'): Reason => soft('TG4201', `${what} is typed ${as} by the method`),
  maybeUndefined: (what: string, type: string): Reason =>
    soft('TG4202', `${what} may be undefined (${type}), the tool requires it`),
  fieldMaybeUndefined: (label: string, type: string): Reason =>
    soft('TG4202', `\`${label}\` may be undefined in the answer (${type}), the tool requires it`),
  optionalMethod: soft('TG4202', 'the method is optional, so that it may not answer') as Reason,
  optionalStream: hard('TG4202', 'the method is optional, so that there may be no stream') as Reason,
  returnsOther: (what: string, type: string, tool: string): Reason =>
    hard('TG4203', `${what} is ${type} where the tool says ${tool}`),
  missingWhole: (type: string): Reason => hard('TG4203', `the answer ${type} may be missing as a whole`),
  resultTupleConverted: (label: string): Reason =>
    hard('TG4203', `the items of the tuple \`${label}\` would need conversions`),
  undeclaredFieldConverted: (label: string): Reason =>
    hard('TG4203', `\`${label}\` is an undeclared field that would need a conversion`),
  undeclaredResultConverted: (what: string): Reason =>
    hard('TG4203', `undeclared fields of ${what} would need a conversion`),
  maybeNull: (what: string, type: string): Reason =>
    soft('TG4204', `${what} may be null (${type}), the tool does not allow null`),
  fieldMaybeNull: (label: string, type: string): Reason =>
    soft('TG4204', `\`${label}\` may be null in the answer (${type}), the tool does not allow null`),
  aFunction: (what: string): Reason => hard('TG4205', `${what} is a function, not data`),
  aMethod: (label: string): Reason => hard('TG4205', `\`${label}\` is a method of the answer, not data`),
  anyOfKind: (what: string, kind: string, tool: string): Reason =>
    soft('TG4206', `${what} is any ${kind} where the tool allows ${tool}`),
  otherValues: (what: string, values: string): Reason =>
    soft('TG4206', `${what} may be ${values}, which the tool does not allow`),
  dateAsOther: (what: string, tool: string): Reason => hard('TG4208', `${what} is a Date where the tool says ${tool}`),
  nestedPromise: (what: string): Reason => hard('TG4209', `${what} is a promise inside the answer; nothing awaits it`),
  onlySomeFit: (what: string, type: string): Reason =>
    soft('TG4210', `${what} is ${type}; only some of it is what the tool says`),
  tupleItemsDiffer: (label: string): Reason =>
    hard('TG4210', `the items of the tuple \`${label}\` would need different conversions`),
  undeclaredStream: hard(
    'TG4211',
    'the method answers with a stream, and the tool is not declared as streaming',
  ) as Reason,
  neverPresent: (label: string, type: string, near: Names): Reason =>
    hard('TG4212', `optional tool field \`${label}\` is not in ${type}, so that it would never be there`, {
      near,
      lacks: label,
    }),
  fromIndex: (label: string): Reason =>
    soft('TG4213', `required tool field \`${label}\` comes from an index signature and may be missing`),
  holdsNoJson: (what: string, part: string): Reason =>
    hard('TG4214', `${what} holds ${part}, which JSON does not carry`),
  noJson: (what: string): Reason => hard('TG4214', `${what} is nothing that JSON carries`),
  deferredResponse: (what: string, type: string): Reason =>
    soft('TG4216', `the type of ${what}, ${type}, depends on a type parameter`),

  // Of both directions.
  tooLarge: (what: string): Reason => hard('TG4113', `${what} is too large to be compared`),
  tooDeep: (label: string): Reason => hard('TG4113', `\`${label}\` is nested too deeply to be compared`),
  unproven: hard('TG4113', 'nothing could be proven') as Reason,
  unnameable: hard(
    'TG4113',
    'a recursive part needs a conversion inside a union, Set or Map, where its type has no name',
  ) as Reason,
  undecided: (code: 'TG4110' | 'TG4210', what: string): Reason =>
    hard(code, `${what} need different conversions and neither their kind nor a field tells them apart`),
  refused: (code: 'TG4115' | 'TG4215', labels: Names): Reason =>
    hard(code, `the compiler does not accept ${labels.slice(0, 3).join(', ')} as it is`),
} as const
