import { type Details, hard, type Reason, soft } from './reason.js'

type Names = readonly string[]

/**
 * `what` is a phrase or a name in backticks for a part of the payload or response, `name` and `label` are names or paths, `type` describes a type of
 * the client, and `tool` describes a schema of the tool.
 */
export const reasons = {
  // Mistakes in the binding itself.
  renamedField: (name: string, near: Names): Reason =>
    hard('TG4007', `\`rename\` contains \`${name}\`, which is not a field of the payload`, {
      part: { of: 'rename', entry: name, side: 'name' },
      near,
    }),
  renamedTo: (name: string, to: string, near: Names): Reason =>
    hard('TG4007', `\`${name}\` is renamed to \`${to}\`, which is not a parameter or field of the method`, {
      part: { of: 'rename', entry: name, side: 'value' },
      near,
    }),
  notRenameable: hard('TG4007', '`rename` and `constants` require a payload that is a plain object') as Reason,
  noFieldToSet: (name: string, near: Names, kind: 'field' | 'parameter or field'): Reason =>
    hard('TG4008', `the method has no ${kind} \`${name}\` to set`, {
      part: { of: 'constants', entry: name, side: 'name' },
      near,
    }),
  noFieldsToSet: (type: string): Reason => hard('TG4008', `${type} declares no fields for \`rename\` or \`constants\``),
  constant: (name: string, type: string): Reason =>
    hard('TG4009', `the constant of \`${name}\` does not have the type ${type}`, {
      part: { of: 'constants', entry: name, side: 'value' },
    }),
  hiddenSignature: (method: string, count: number, nameable: number): Reason =>
    hard('TG4010', `\`${method}\` has ${count} signatures, and the matching one is not among the last ${nameable}`),
  collect: (why: string): Reason => hard('TG4011', `\`collect\` has no effect: ${why}`, { part: { of: 'collect' } }),

  // Reasons about payloads and arguments.
  unresolved: (what: string, type: string): Reason =>
    hard('TG4003', `the type ${type === 'any' ? '' : `\`${type}\` `}of ${what} in the method cannot be resolved`),
  parameterWithoutSource: (name: string, type: string, near: Names, setTo: string | undefined): Reason =>
    hard('TG4101', `no payload field fills the required parameter \`${name}: ${type}\``, {
      near,
      field: name,
      setTo,
    }),
  fieldWithoutSource: (label: string, type: string, details: Details): Reason =>
    hard('TG4101', `no payload field fills the required method field \`${label}: ${type}\``, details),
  optional: (label: string, type: string): Reason =>
    hard('TG4102', `\`${label}\` is optional in the tool, but the method requires it (${type})`),
  exactParameter: (name: string): Reason =>
    hard('TG4102', `\`${name}\` is an element of a rest tuple: it may be omitted, but must not be undefined`),
  takesOther: (what: string, tool: string, type: string): Reason =>
    hard('TG4103', `${what} is ${tool}, but the method expects ${type}`),
  takesOtherKeys: (what: string, type: string): Reason =>
    hard('TG4103', `the keys of ${what} are strings, but the method expects ${type}`),
  undeclaredConverted: (what: string): Reason => hard('TG4103', `undeclared fields of ${what} need a conversion`),
  undeclaredOfName: (name: string): Reason =>
    hard('TG4103', `undeclared fields may be named \`${name}\`, and this name needs a different conversion`),
  nullable: (what: string, type: string): Reason =>
    hard('TG4104', `${what} may be null, but the method expects ${type}`),
  anyParameter: (name: string): Reason =>
    hard('TG4105', `parameter \`${name}\` has the type any, so its fields are unknown`),
  narrower: (label: string, tool: string, type: string): Reason =>
    hard('TG4106', `\`${label}\` is ${tool}, but the method only accepts ${type}`),
  branded: (label: string, type: string): Reason =>
    hard('TG4107', `\`${label}\` is a plain string, but the method expects ${type}`),
  dateOfOtherFormat: (label: string): Reason =>
    hard('TG4108', `\`${label}\` must become a Date, but its format is neither date-time nor date`),
  takesIterable: (label: string, type: string): Reason =>
    hard('TG4109', `\`${label}\` is an array, but the method expects ${type}`),
  takesTuple: (label: string, tool: string, type: string): Reason =>
    hard('TG4109', `\`${label}\` is ${tool}, but the method expects the tuple ${type}`),
  tupleConverted: (label: string): Reason => hard('TG4109', `the items of the tuple \`${label}\` need conversions`),
  takesSeveral: (name: string, parameter: string): Reason =>
    hard('TG4109', `\`${name}\` is not an array, but \`...${parameter}\` expects several values`),
  fitsNoAlternative: (label: string): Reason =>
    hard('TG4110', `\`${label}\` matches no alternative of the union in the method`),
  privateMembers: (type: string): Reason =>
    hard('TG4111', `${type} has private members, so a plain object is not assignable to it`),
  requiredFunction: (label: string): Reason =>
    hard('TG4111', `the method requires an object with the function \`${label}\``),
  unusedField: (label: string, user: 'field' | 'parameter', details: Details): Reason =>
    hard('TG4112', `payload field \`${label}\` matches no ${user} of the method`, details),
  declaredElsewhere: (label: string, owner: string): Reason =>
    hard(
      'TG4112',
      `the parameter \`${owner}\` declares the payload field \`${label}\`, but the other fields match another parameter`,
    ),
  noObject: (near: Names): Reason =>
    hard('TG4112', 'the payload is not an object, and no parameter of the method accepts it', { near }),
  takesNoUndeclared: (what: string): Reason =>
    hard('TG4112', `${what} allows undeclared fields, but the method does not`),
  anyJson: (what: string, type: string): Reason =>
    hard('TG4114', `${what} may be any JSON, but the method expects ${type}`),
  typeParameter: (what: string, type: string): Reason =>
    hard('TG4116', `the type of ${what} in the method, ${type}, depends on a type parameter`),
  onlyIndex: (label: string, type: string, details: Details): Reason => ({
    ...hard('TG4302', `\`${label}\` is not a declared field of ${type}; only its index signature accepts it`, details),
    weight: 'note',
  }),

  // Reasons about responses and results.
  lackingField: (label: string, type: string, near: Names): Reason =>
    hard('TG4200', `required tool field \`${label}\` is not in ${type}`, { near }),
  noData: (type: string): Reason =>
    hard('TG4200', `\`result: { from: 'data' }\` reads \`.data\`, which ${type} does not have`),
  untyped: (what: string, as: 'unknown' | 'any'): Reason => soft('TG4201', `${what} has the type ${as}`),
  maybeUndefined: (what: string, type: string): Reason =>
    soft('TG4202', `${what} may be undefined (${type}), but the tool requires it`),
  fieldMaybeUndefined: (label: string, type: string): Reason =>
    soft('TG4202', `\`${label}\` may be undefined in the response (${type}), but the tool requires it`),
  optionalMethod: soft('TG4202', 'the method is optional, so the response may be missing') as Reason,
  optionalStream: hard('TG4202', 'the method is optional, so the stream may be missing') as Reason,
  returnsOther: (what: string, type: string, tool: string): Reason =>
    hard('TG4203', `${what} is ${type}, but the tool declares ${tool}`),
  missingWhole: (type: string): Reason => hard('TG4203', `the response ${type} may be missing`),
  resultTupleConverted: (label: string): Reason =>
    hard('TG4203', `the items of the tuple \`${label}\` need conversions`),
  undeclaredFieldConverted: (label: string): Reason =>
    hard('TG4203', `\`${label}\` is an undeclared field that needs a conversion`),
  undeclaredResultConverted: (what: string): Reason => hard('TG4203', `undeclared fields of ${what} need a conversion`),
  maybeNull: (what: string, type: string): Reason =>
    soft('TG4204', `${what} may be null (${type}), but the tool does not allow null`),
  fieldMaybeNull: (label: string, type: string): Reason =>
    soft('TG4204', `\`${label}\` may be null in the response (${type}), but the tool does not allow null`),
  aFunction: (what: string): Reason => hard('TG4205', `${what} is a function, not data`),
  aMethod: (label: string): Reason => hard('TG4205', `\`${label}\` is a method of the response, not data`),
  anyOfKind: (what: string, kind: string, tool: string): Reason =>
    soft('TG4206', `${what} may be any ${kind}, but the tool only allows ${tool}`),
  otherValues: (what: string, values: string): Reason =>
    soft('TG4206', `${what} may be ${values}, which the tool does not allow`),
  dateAsOther: (what: string, tool: string): Reason =>
    hard('TG4208', `${what} is a Date, but the tool declares ${tool}`),
  nestedPromise: (what: string): Reason =>
    hard('TG4209', `${what} is a promise inside the response, but generated code only awaits the response itself`),
  onlySomeFit: (what: string, type: string): Reason =>
    soft('TG4210', `${what} is ${type}, and only some of its alternatives match the tool`),
  tupleItemsDiffer: (label: string): Reason =>
    hard('TG4210', `the items of the tuple \`${label}\` need different conversions`),
  undeclaredStream: hard('TG4211', 'the method returns a stream, but the tool does not declare `streaming`') as Reason,
  neverPresent: (label: string, type: string, near: Names): Reason =>
    hard('TG4212', `optional tool field \`${label}\` is not in ${type}, so it is always missing`, {
      near,
      lacks: label,
    }),
  fromIndex: (label: string): Reason =>
    soft('TG4213', `required tool field \`${label}\` comes from an index signature and may be missing`),
  holdsNoJson: (what: string, part: string): Reason =>
    hard('TG4214', `${what} contains ${part}, which JSON cannot represent`),
  noJson: (what: string): Reason => hard('TG4214', `JSON cannot represent the type of ${what}`),
  deferredResponse: (what: string, type: string): Reason =>
    soft('TG4216', `the type of ${what}, ${type}, depends on a type parameter`),

  // Reasons about payloads as well as responses.
  tooLarge: (what: string): Reason => hard('TG4113', `${what} is too large to be compared`),
  tooDeep: (label: string): Reason => hard('TG4113', `\`${label}\` is nested too deeply to be compared`),
  unproven: hard('TG4113', 'the types could not be compared') as Reason,
  unnameable: hard(
    'TG4113',
    'a recursive type inside a union, Set or Map needs a conversion, but generated code cannot name the type',
  ) as Reason,
  undecided: (code: 'TG4110' | 'TG4210', what: string): Reason =>
    hard(code, `${what} need different conversions, and no property distinguishes them`),
  refused: (code: 'TG4115' | 'TG4215', labels: Names): Reason =>
    hard(code, `the compiler does not accept ${labels.slice(0, 3).join(', ')} without a conversion`),
} as const
