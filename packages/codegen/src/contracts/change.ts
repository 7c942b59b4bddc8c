import { defined } from '../defined.js'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json } from '../schema/json-schema.js'
import { changedText } from '../schema/notes.js'
import type { DefinitionLocation } from './definitions.js'

/** A difference between two contracts. */
export interface ContractChange extends ChangeSubject {
  /** Id of the rule, e.g. `payload-field-required`. */
  readonly rule: string
  readonly category: Category
  readonly severity: Impact
  /** JSON Pointer into the schema of the side, or into recorded arguments. */
  readonly pointer?: string
  /** Location in a definition that tools may share; absent if the pointer leads to none, or to two. */
  readonly definition?: DefinitionLocation
  readonly before?: Json
  readonly after?: Json
  /** The other name of something that looks renamed. */
  readonly rename?: Rename
  /** False if no value was found that proves the change. */
  readonly certain: boolean
  /** Value of the side's schema that one of both contracts accepts and the other rejects. */
  readonly witness?: Json
  readonly message: string
  /** Location in the design; absent for something that is gone. */
  readonly location?: SourceLocation
}

type Rename = { readonly to: string } | { readonly from: string }

export interface ChangeSubject {
  readonly toolset?: string
  /** `toolset.tool` */
  readonly tool?: string
  readonly agent?: string
  readonly side?: 'arguments' | 'result' | 'updates'
}

/** Parts of a change that its rule does not give. */
type ChangeDetails = {
  readonly [Key in 'pointer' | 'definition' | 'before' | 'after' | 'rename' | 'witness' | 'location']?:
    | ContractChange[Key]
    | undefined
}

/**
 * Returns a change.
 *
 * @param ending end of the sentence; default: both values
 */
export function newChange(
  rule: string,
  subject: ChangeSubject,
  details: ChangeDetails & { readonly certain?: boolean } = {},
  ending?: string,
): ContractChange {
  const { category, severity } = ruleOf(rule)
  const change = { rule, category, severity, ...subject, certain: true, ...defined(details) }
  return { ...change, message: changeMessage(change, subjectName(subject), details.pointer, ending) }
}

export function changeMessage(
  { rule, before, after, rename, certain }: Omit<ContractChange, 'message'>,
  subject: string,
  location = '',
  ending: string | undefined = before === undefined && after === undefined
    ? undefined
    : changedText('it', before, after),
): string {
  const { summary, uncertainSummary = summary } = ruleOf(rule)
  const at = location === '' ? '' : `, at ${location}`
  const end = ending === undefined ? '' : `: ${ending}`
  const doubt = certain ? '' : ' This is uncertain: no value was found that shows it.'
  const other = rename && ('to' in rename ? `to '${rename.to}'` : `from '${rename.from}'`)
  const looks = other === undefined ? '' : ` It looks renamed ${other}.`
  return `${subject} ${certain ? summary : uncertainSummary}${at}${end}.${doubt}${looks}`
}

const sides = { arguments: 'payload', result: 'result', updates: 'update' } as const

function subjectName({ toolset, tool, agent, side }: ChangeSubject): string {
  if (side !== undefined) return `The ${sides[side]} of '${tool}'`
  if (agent !== undefined) return `The agent '${agent}'`
  return tool === undefined ? `The toolset '${toolset}'` : `The tool '${tool}'`
}

const maxNamed = 3

/** Names one side of several tools. */
export function sharedSubjectName(side: keyof typeof sides, tools: readonly string[]): string {
  const named = tools.slice(0, tools.length > maxNamed + 1 ? maxNamed : tools.length).map((tool) => `'${tool}'`)
  const others = tools.length - named.length
  const all = others === 0 ? named : [...named, `${others.toLocaleString('en')} other tools`]
  return `The ${sides[side]} of ${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}

/** Area of a change: generated code and its callers, what models read, or recorded calls. */
type Category = 'code' | 'model' | 'recorded'

/** `breaking`: something that worked fails. `visible`: models read something else. `safe`: nobody needs to notice. */
export type Impact = 'breaking' | 'visible' | 'safe'

/** A kind of change of a contract. */
export interface Rule {
  /** E.g. `payload-field-required`. */
  readonly id: string
  readonly category: Category
  readonly severity: Impact
  /** The change, without the name of its subject: `is gone`. */
  readonly summary: string
  /** The same if no value proves it: `may refuse values`. Absent if changes are always certain. */
  readonly uncertainSummary?: string
  /** Consequences of the change. */
  readonly why: string
  /** Fix. */
  readonly next: string
}

/** Texts of a rule in addition to its summary. */
type RuleTexts = Pick<Rule, 'why' | 'uncertainSummary'> & Partial<Pick<Rule, 'next'>>

function ruleWith(severity: Impact) {
  return (id: string, category: Category, summary: string, { next = 'Nothing.', ...texts }: RuleTexts): Rule => {
    return { id, category, severity, summary, ...texts, next }
  }
}

const [breaking, visible, safe] = [ruleWith('breaking'), ruleWith('visible'), ruleWith('safe')]

/** Rules for fields and notes of schemas. */
export const schemaRules: readonly Rule[] = [
  breaking('payload-field-required', 'code', 'requires a field that it did not require', {
    uncertainSummary: 'may require a field that it did not require',
    why: 'Callers that leave the field out do not compile, and models and recorded calls that do are refused.',
    next: 'Make the field optional, or give it a default.',
  }),
  visible('payload-field-optional', 'model', 'can be without a field that it had to have', {
    uncertainSummary: 'may take an object without a field that it required',
    why: 'Whoever called before still can. What serves the tool may get no value for it.',
    next: 'See that what serves the tool can do without the field.',
  }),
  breaking('payload-field-removed', 'code', 'has a field no more', {
    uncertainSummary: 'may have lost a field',
    why: 'Payloads refuse unknown fields: callers, models and recorded calls that give the field are refused. A field that was renamed is gone and new; one that the runtime fills from now on must not be sent.',
    next: 'Keep the field, optional and unused, until nobody sends it.',
  }),
  visible('payload-field-added', 'model', 'has a new field', {
    uncertainSummary: 'may have a new field',
    why: 'Whoever called before still can. Models read of the field and will fill it.',
    next: 'Describe the field, and see that what serves the tool uses it.',
  }),
  breaking('payload-unknown-fields-refused', 'code', 'refuses fields that it does not declare', {
    uncertainSummary: 'may refuse fields that it does not declare',
    why: 'Calls with further fields were taken and are refused.',
    next: 'Declare the fields that callers send, or allow others with `additionalProperties`.',
  }),
  visible('payload-unknown-fields-taken', 'model', 'takes fields that it does not declare', {
    uncertainSummary: 'may take fields that it does not declare',
    why: 'Whoever called before still can. Models may send whatever they think fits.',
    next: 'Declare the fields that are meant, where one knows them.',
  }),
  breaking('payload-js-type-changed', 'code', 'has another JavaScript type for a text', {
    why: 'The generated types change, so that callers and mappers do not compile. Calls as JSON may still be taken.',
    next: 'Keep the type, or change the callers with it.',
  }),
  visible('payload-default-changed', 'model', 'has another default', {
    why: 'A call that leaves the field out means something else than before; models read the default.',
    next: 'See that callers who leave the field out want the new default.',
  }),
  visible('payload-described-otherwise', 'model', 'is described otherwise', {
    why: 'Models read titles, descriptions and examples of fields, and choose by them what they send.',
    next: 'Look at the evaluations of prompts that use the tool.',
  }),
  breaking('result-field-removed', 'code', 'has a field no more', {
    uncertainSummary: 'may have lost a field',
    why: 'Callers that read the field do not compile, and templates and models that use it find nothing.',
    next: 'Keep the field until nobody reads it.',
  }),
  breaking('result-field-optional', 'code', 'can be without a field that it always had', {
    uncertainSummary: 'may lack a field that it always had',
    why: 'Callers read the field without a question whether it is there.',
    next: 'Always answer with the field, or give the new contract to a tool of another name.',
  }),
  safe('result-field-required', 'code', 'always has a field that could be missing', {
    uncertainSummary: 'may always have a field that could be missing',
    why: 'Callers that ask whether it is there still work. An answer without it is a malformed result now.',
    next: 'See that what serves the tool always gives the field.',
  }),
  safe('result-field-added', 'code', 'has a new field', {
    uncertainSummary: 'may have a new field',
    why: 'Callers of before do not read it.',
  }),
  breaking('result-js-type-changed', 'code', 'has another JavaScript type for a text', {
    why: 'The generated types change, so that callers that read the value do not compile.',
    next: 'Keep the type, or change the callers with it.',
  }),
  safe('result-described-otherwise', 'model', 'is described otherwise', {
    why: 'People read it in types and catalogues, models where results are described to them at all.',
  }),
]

/** Aspects of schemas, how rules name them, and whether two of them can be compared as sets of values. */
const aspects = [
  ['type', 'other types', true],
  ['enum', 'other listed values', true],
  ['variant', 'other variants', true],
  ['range', 'another range of numbers', true],
  ['length', 'another length', true],
  ['pattern', 'another pattern', false],
  ['format', 'another format', false],
  ['rule', 'another rule', false],
] as const

const setComparison = 'Schemas are compared as sets of values: another way to write the same is no change.'
const noProof =
  'For two of them there is no general proof that one allows all that the other does. Without a value that shows a difference the change is reported as uncertain.'

/** Rules for the aspects of schemas. */
export const aspectRules: readonly Rule[] = aspects.flatMap(([aspect, other, isComparable]) => {
  const how = isComparable ? setComparison : noProof
  return [
    breaking(`payload-${aspect}-narrowed`, 'code', `has ${other}, and refuses values that it took`, {
      uncertainSummary: `has ${other}, and may refuse values that it took`,
      why: `Callers, models and recorded calls that send what was taken before are refused. ${how}`,
      next: 'Take what was taken before as well, or give the new contract to a tool of another name.',
    }),
    visible(`payload-${aspect}-widened`, 'model', `has ${other}, and takes values that it refused`, {
      uncertainSummary: `has ${other}, and may take values that it refused`,
      why: 'Whoever called before still can. Models read that more is allowed, and what serves the tool gets values that it never got.',
      next: 'See that what serves the tool knows the new values.',
    }),
    breaking(`result-${aspect}-widened`, 'code', `has ${other}, and can hold values that it never held`, {
      uncertainSummary: `has ${other}, and may hold values that it never held`,
      why: `Callers were written for the values of before: a switch has no case for others, a type does not fit. ${how}`,
      next: 'Answer with what was answered before, or give the new contract to a tool of another name.',
    }),
    safe(`result-${aspect}-narrowed`, 'code', `has ${other}, and some values do not occur any more`, {
      uncertainSummary: `has ${other}, and perhaps some values do not occur any more`,
      why: 'Callers handle all that is left. An answer with one of the others is a malformed result now.',
      next: 'See that what serves the tool keeps to it.',
    }),
  ]
})

export const toolsetRules: readonly Rule[] = [
  breaking('toolset-removed', 'code', 'is gone', {
    why: 'Modules that import its calls, types and specs do not compile. A toolset that was renamed is gone and new.',
    next: 'Keep the toolset until nobody imports it.',
  }),
  safe('toolset-added', 'code', 'is new', {
    why: 'Nobody uses it yet; where an agent does, that is told of the agent.',
  }),
  breaking('toolset-namespace-changed', 'recorded', 'is in another namespace', {
    why: 'Sessions see the tools of their namespaces alone: those that are open or stored lose the tools of this toolset.',
    next: 'Keep the namespace, or open sessions with both until the old ones have ended.',
  }),
  visible('toolset-described-otherwise', 'model', 'is described otherwise', {
    why: 'Prompts and catalogues quote the description.',
    next: 'Look at the evaluations of prompts that quote it.',
  }),
  breaking('type-removed', 'code', 'exports a type no more', {
    why: 'Each shared definition is an exported type, and modules that import it do not compile.',
    next: 'Keep the name of the definition.',
  }),
]

/** Rules for tools, without their schemas. */
export const toolRules: readonly Rule[] = [
  breaking('tool-removed', 'code', 'is gone', {
    why: 'Callers do not compile, and models and recorded conversations that call it are told that there is no such tool.',
    next: 'Keep the tool until nobody calls it. A tool that was renamed is gone and new: `toolName` keeps the name that models know.',
  }),
  visible('tool-added', 'model', 'is new', {
    why: 'Callers of before do not use it. Models may choose it in place of others.',
    next: 'Look at the evaluations of prompts that offer it.',
  }),
  visible('tool-described-otherwise', 'model', 'has another description', {
    why: 'Models choose tools by their descriptions.',
    next: 'Look at the evaluations of prompts that offer the tool.',
  }),
  visible('tool-title-changed', 'model', 'has another title', {
    why: 'Users read the title, and so do models where tools are served over MCP.',
    next: 'Nothing, where the new words are meant.',
  }),
  visible('tool-examples-changed', 'model', 'has other examples', {
    why: 'Models imitate examples, and are told the first one when they send what is wrong.',
    next: 'Look at the evaluations of prompts that offer the tool.',
  }),
  safe('tool-hints-changed', 'code', 'tells users something else while it runs', {
    why: 'Hints are for people and no program reads them.',
  }),
  safe('tool-tags-changed', 'code', 'has other tags', {
    why: 'Layers and catalogues that choose tools by their tags may treat it otherwise.',
    next: 'Look for layers that ask for the tags.',
  }),
  visible('tool-annotations-changed', 'model', 'says something else of what it does to the world', {
    why: 'Clients ask people, and layers retry and cache, by `readOnly`, `destructive` and `idempotent`.',
    next: 'See that what serves the tool does as it says.',
  }),
  breaking('tool-name-changed', 'model', 'has another name for models', {
    why: 'Prompts, evaluations and recorded conversations call it by the old name, under which there is nothing.',
    next: 'Keep the old name with `toolName`.',
  }),
  safe('tool-remote-name-changed', 'code', 'is another tool of its MCP server', {
    why: 'Callers see nothing of it.',
    next: 'See that the server has the tool: `toolgen check --live`.',
  }),
  breaking('tool-confirmation-added', 'code', 'asks a person before it runs', {
    why: 'The application must give an approval capability: without it callers do not compile, and calls are denied.',
    next: 'Give the runs of all agents that use the tool an `approval`.',
  }),
  visible('tool-confirmation-removed', 'code', 'asks nobody before it runs', {
    why: 'Callers of before still work. Calls that a person might have declined run at once.',
    next: 'See that this is meant.',
  }),
  visible('tool-confirmation-changed', 'code', 'asks a person something else', {
    why: 'People read the prompt, and models the result of a call that was declined.',
    next: 'Nothing, where the new words are meant.',
  }),
  visible('tool-default-layers-changed', 'code', 'has other default layers', {
    why: 'The registration attaches them: calls may end earlier or later, and the service may be called more or less often.',
    next: 'Check the time limit and the attempts. An application overrides them with `defaultLayers` of its registration.',
  }),
  breaking('tool-check-added', 'code', 'needs its payload schema again as a check', {
    why: 'The schema has rules that JSON Schema cannot carry: the application must pass it, and payloads that break them are refused.',
    next: 'Pass the schema under `checks` where the agent is registered.',
  }),
  breaking('tool-check-removed', 'code', 'takes no check any more', {
    why: 'Applications that pass one under `checks` do not compile.',
    next: 'Take the check out where the agent is registered.',
  }),
  breaking('tool-streams', 'code', 'streams updates', {
    why: 'In a session it answers with an acknowledgement first, and what serves it must be declared to stream.',
    next: 'Give the streaming form to a tool of another name.',
  }),
  breaking('tool-streams-no-more', 'code', 'streams no updates any more', {
    why: 'Callers that listen to updates do not compile, and in a session it answers at once.',
    next: 'Keep the updates until nobody listens.',
  }),
  breaking('server-owned-source-added', 'code', 'needs a further field of the call', {
    why: 'The need is part of the type of its calls: executing one without the value does not compile, and a run without it fails at its start.',
    next: 'Give the value wherever the tool is executed, e.g. `sessionId`.',
  }),
  safe('server-owned-source-removed', 'code', 'needs a field of the call no more', {
    why: 'Callers that still give it are not refused.',
  }),
  breaking('server-owned-narrowed', 'code', 'takes fewer values for a field that the runtime fills', {
    uncertainSummary: 'may take fewer values for a field that the runtime fills',
    why: 'What is filled in is checked by the rule of the field: calls with a value of before fail.',
    next: 'Take the values of before as well.',
  }),
]

export const agentRules: readonly Rule[] = [
  breaking('agent-removed', 'code', 'is gone', {
    why: 'Applications that register it do not compile. An agent that was renamed is gone and new.',
    next: 'Keep the agent until nobody registers it.',
  }),
  safe('agent-added', 'code', 'is new', {
    why: 'Nobody uses it yet.',
  }),
  visible('agent-described-otherwise', 'model', 'is described otherwise', {
    why: 'Prompts and catalogues quote the description.',
    next: 'Look at the evaluations of prompts that quote it.',
  }),
  visible('agent-instructed-otherwise', 'model', 'has other instructions', {
    why: 'Its model reads them before every conversation.',
    next: 'Look at the evaluations of the agent.',
  }),
  visible('agent-policy-changed', 'model', 'has other limits for its runs', {
    why: 'Runs end sooner or later than before, or with another reason.',
    next: 'Look at the evaluations of the agent.',
  }),
  breaking('agent-use-removed', 'code', 'uses a toolset no more', {
    why: 'Applications that bind the toolset do not compile, and recorded conversations call tools that the agent does not have.',
    next: 'Keep the use until nobody binds it.',
  }),
  breaking('agent-use-added', 'code', 'uses a further toolset', {
    why: 'Applications must bind it where they register the agent: without that they do not compile.',
    next: 'Give its client, caller or agent under `toolsets`.',
  }),
  breaking('agent-use-changed', 'code', 'has another toolset, or another server of it, under the same name', {
    why: 'A client, an MCP server and an agent are bound in different ways.',
    next: 'Change the binding where the agent is registered, or give the new use another name with `as`.',
  }),
  breaking('agent-tool-removed', 'code', 'has a tool no more', {
    why: 'Calls of the tool through the agent do not compile, and models and recorded conversations find no such tool.',
    next: 'Keep the tool among those that the use selects.',
  }),
  visible('agent-tool-added', 'model', 'has a further tool', {
    why: 'Its model may choose it in place of others.',
    next: 'Look at the evaluations of the agent.',
  }),
  breaking('agent-tool-name-changed', 'model', 'shows a tool under another name', {
    why: 'Prompts, evaluations and recorded conversations of the agent call it by the old name.',
    next: 'Keep the old name with `rename`.',
  }),
  breaking('agent-export-removed', 'code', 'offers a toolset no more', {
    why: 'Agents that use the toolset have nobody who serves it.',
    next: 'Keep the export until nobody uses it.',
  }),
  safe('agent-export-added', 'code', 'offers a further toolset', {
    why: 'Nobody uses it yet.',
  }),
]

export const recordedRules: readonly Rule[] = [
  breaking('recorded-example-refused', 'recorded', 'refuses an example of before', {
    why: 'The examples of before are calls that the author thought right. The payload codec of now does not decode this one.',
    next: 'Take the example again, or expect that calls like it fail.',
  }),
  breaking('recorded-call-refused', 'recorded', 'refuses a recorded call', {
    why: 'The payload codec of now does not decode the arguments that a cassette recorded: a suspension, a session or a replay that holds such a call fails.',
    next: 'Take what was sent, or record the cassette again.',
  }),
  breaking('recorded-tool-missing', 'recorded', 'is called in a recording and is gone', {
    why: 'A cassette calls a tool that the design does not have.',
    next: 'Keep the tool, or record the cassette again.',
  }),
]

/** All rules by which contracts are compared, in the order of the docs. */
export const rules: readonly Rule[] = [
  ...schemaRules,
  ...aspectRules,
  ...toolsetRules,
  ...toolRules,
  ...agentRules,
  ...recordedRules,
]

const byId: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]))

export function ruleOf(id: string): Rule {
  const rule = byId.get(id)
  if (rule === undefined) throw new RangeError(`there is no rule ${id}`)
  return rule
}
