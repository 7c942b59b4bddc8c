import { aspectRules, breaking, type Rule, safe, schemaRules, visible } from './schema-rules.js'

export const toolsetRules: readonly Rule[] = [
  breaking('toolset-removed', 'code', 'was removed', {
    why: 'Modules that import its calls, types and specs do not compile. A rename is a removal and an addition.',
    next: 'Keep the toolset until no module imports it.',
  }),
  safe('toolset-added', 'code', 'was added', {
    why: 'Existing code does not use it. Its use by an agent is a separate change.',
  }),
  breaking('toolset-namespace-changed', 'recorded', 'has another namespace', {
    why: 'A session only has the tools of its namespaces. Open and stored sessions lose the tools of this toolset.',
    next: 'Keep the namespace, or open sessions with both namespaces until the old sessions have ended.',
  }),
  visible('toolset-described-otherwise', 'model', 'has another description', {
    why: 'Prompts and catalogues contain the description.',
    next: 'Evaluate the prompts that contain it.',
  }),
  breaking('type-removed', 'code', 'no longer exports a type', {
    why: 'Each shared definition is an exported type, and modules that import it do not compile.',
    next: 'Keep the name of the definition.',
  }),
]

/** Rules for tools, except for their schemas. */
export const toolRules: readonly Rule[] = [
  breaking('tool-removed', 'code', 'was removed', {
    why: 'Callers do not compile. Calls from models and recorded conversations fail with an unknown tool.',
    next: 'Keep the tool until nothing calls it. A rename is a removal and an addition; `toolName` keeps the name for models.',
  }),
  visible('tool-added', 'model', 'was added', {
    why: 'Existing callers do not use it. Models may choose it instead of other tools.',
    next: 'Evaluate the prompts that include it.',
  }),
  visible('tool-described-otherwise', 'model', 'has another description', {
    why: 'Models choose tools by their descriptions.',
    next: 'Evaluate the prompts that include the tool.',
  }),
  visible('tool-title-changed', 'model', 'has another title', {
    why: 'Users read the title. Models read it if the tool is served over MCP.',
    next: 'No change is needed if the new title is intended.',
  }),
  visible('tool-examples-changed', 'model', 'has other examples', {
    why: 'Models imitate examples, and receive the first one after an invalid call.',
    next: 'Evaluate the prompts that include the tool.',
  }),
  safe('tool-hints-changed', 'code', 'has other hints for users', {
    why: 'Hints are only shown to people.',
  }),
  safe('tool-tags-changed', 'code', 'has other tags', {
    why: 'Layers and catalogues that select tools by tags may treat it differently.',
    next: 'Check the layers that use these tags.',
  }),
  visible('tool-annotations-changed', 'model', 'has other annotations', {
    why: '`readOnly`, `destructive` and `idempotent` decide whether clients ask for confirmation, and whether layers retry and cache calls.',
    next: 'Check that the service behaves as the annotations say.',
  }),
  breaking('tool-name-changed', 'model', 'has another name for models', {
    why: 'Prompts, evaluations and recorded conversations use the old name, which no longer exists.',
    next: 'Keep the old name with `toolName`.',
  }),
  safe('tool-remote-name-changed', 'code', 'calls another tool of its MCP server', {
    why: 'Callers are not affected.',
    next: 'Check that the server has the tool: `toolgen check --live`.',
  }),
  breaking('tool-confirmation-added', 'code', 'requires a confirmation', {
    why: 'The application must provide an `approval`. Without it, callers do not compile, and calls are denied.',
    next: 'Pass an `approval` to the runs of all agents that use the tool.',
  }),
  visible('tool-confirmation-removed', 'code', 'no longer requires a confirmation', {
    why: 'Existing callers work. Calls that a person might have denied now run at once.',
    next: 'Check that this is intended.',
  }),
  visible('tool-confirmation-changed', 'code', 'has another confirmation', {
    why: 'People read the prompt, and models read the result of a denied call.',
    next: 'No change is needed if the new texts are intended.',
  }),
  visible('tool-default-layers-changed', 'code', 'has other default layers', {
    why: 'The registration adds them. Calls may time out earlier or later, and the service may be called more or less often.',
    next: 'Check the timeout and the attempts. An application can override them with `defaultLayers` of its registration.',
  }),
  breaking('tool-check-added', 'code', 'requires its payload schema as a check', {
    why: 'The schema has checks that JSON Schema cannot express. The application must pass the schema, and payloads that fail a check are rejected.',
    next: 'Pass the schema in `checks` at the registration of the agent.',
  }),
  breaking('tool-check-removed', 'code', 'no longer accepts a check', {
    why: 'Applications that pass its schema in `checks` do not compile.',
    next: 'Remove the check from the registration of the agent.',
  }),
  breaking('tool-streams', 'code', 'became a streaming tool', {
    why: 'In a session it first returns an acknowledgement. Its executor must be a streaming executor.',
    next: 'Add a streaming tool with another name.',
  }),
  breaking('tool-streams-no-more', 'code', 'is no longer a streaming tool', {
    why: 'Callers that listen to updates do not compile. In a session it returns its result at once.',
    next: 'Keep the updates until no caller listens to them.',
  }),
  breaking('server-owned-source-added', 'code', 'requires another field of the call', {
    why: 'The types of its calls require the field. Executing a call without it does not compile, and a run without it fails at the start.',
    next: 'Pass the value at each execution of the tool, e.g. `sessionId`.',
  }),
  safe('server-owned-source-removed', 'code', 'no longer requires a field of the call', {
    why: 'Callers may still pass it.',
  }),
  breaking('server-owned-narrowed', 'code', 'accepts fewer values for a server-owned field', {
    uncertainSummary: 'may accept fewer values for a server-owned field',
    why: 'The value from the meta of the call is validated. Calls with a previously valid value can fail.',
    next: 'Accept the previous values too.',
  }),
]

export const agentRules: readonly Rule[] = [
  breaking('agent-removed', 'code', 'was removed', {
    why: 'Applications that register it do not compile. A rename is a removal and an addition.',
    next: 'Keep the agent until no application registers it.',
  }),
  safe('agent-added', 'code', 'was added', {
    why: 'Existing code does not use it.',
  }),
  visible('agent-described-otherwise', 'model', 'has another description', {
    why: 'Prompts and catalogues contain the description.',
    next: 'Evaluate the prompts that contain it.',
  }),
  visible('agent-instructed-otherwise', 'model', 'has other instructions', {
    why: 'Its model reads them before every conversation.',
    next: 'Evaluate the agent.',
  }),
  visible('agent-policy-changed', 'model', 'has other limits for its runs', {
    why: 'Runs may end earlier or later, or for another reason.',
    next: 'Evaluate the agent.',
  }),
  breaking('agent-use-removed', 'code', 'no longer uses a toolset', {
    why: 'Applications that bind the toolset do not compile. Recorded conversations call tools that the agent no longer has.',
    next: 'Keep the use until no application binds it.',
  }),
  breaking('agent-use-added', 'code', 'uses another toolset in addition', {
    why: 'Applications must bind it at the registration of the agent, and do not compile without it.',
    next: 'Pass its client, caller or agent in `toolsets`.',
  }),
  breaking('agent-use-changed', 'code', 'has another toolset or provider with the same name', {
    why: 'A client, an MCP server and an agent are bound in different ways.',
    next: 'Change the binding at the registration of the agent, or set another name for the new use with `as`.',
  }),
  breaking('agent-tool-removed', 'code', 'no longer has a tool', {
    why: 'Calls of the tool through the agent do not compile. Calls from models and recorded conversations fail with an unknown tool.',
    next: 'Keep the tool in the selection of the use.',
  }),
  visible('agent-tool-added', 'model', 'has an additional tool', {
    why: 'Its model may choose it instead of other tools.',
    next: 'Evaluate the agent.',
  }),
  breaking('agent-tool-name-changed', 'model', 'has another name for a tool', {
    why: 'Prompts, evaluations and recorded conversations of the agent use the old name.',
    next: 'Keep the old name with `rename`.',
  }),
  breaking('agent-export-removed', 'code', 'no longer exports a toolset', {
    why: 'Agents that use the toolset lose its provider.',
    next: 'Keep the export until no agent uses it.',
  }),
  safe('agent-export-added', 'code', 'exports an additional toolset', {
    why: 'Existing agents do not use it.',
  }),
]

export const recordedRules: readonly Rule[] = [
  breaking('recorded-example-refused', 'recorded', 'rejects a previous example', {
    why: 'The previous examples were valid calls. The new payload codec does not decode this one.',
    next: 'Accept the example again, or expect similar calls to fail.',
  }),
  breaking('recorded-call-refused', 'recorded', 'rejects a recorded call', {
    why: 'The new payload codec does not decode the arguments in a cassette. A suspension, session or replay with such a call fails.',
    next: 'Accept the recorded arguments, or record the cassette again.',
  }),
  breaking('recorded-tool-missing', 'recorded', 'was removed, but a recording calls it', {
    why: 'A cassette calls a tool that the design no longer has.',
    next: 'Keep the tool, or record the cassette again.',
  }),
]

/** Rules for changes of contracts, in the order of the docs. */
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
  if (rule === undefined) throw new RangeError(`unknown rule ${id}`)
  return rule
}
