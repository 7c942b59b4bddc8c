import { aspectRules, breaking, type Rule, safe, schemaRules, visible } from './schema-rules.js'

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
