/** The name under which spans and metrics are found. */
export const SCOPE = '@toolgen/runtime'

/** The names of the OpenTelemetry conventions that are used here. */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolDescription: 'gen_ai.tool.description',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  tokenType: 'gen_ai.token.type',
} as const

/** The name that all OpenTelemetry conventions share for why something failed. */
export const ERROR_TYPE = 'error.type'

/** Names of toolgen's own, for what the conventions do not name. */
export const TOOLGEN = {
  toolId: 'toolgen.tool.id',
  provider: 'toolgen.tool.provider',
  callStatus: 'toolgen.call.status',
  attempts: 'toolgen.call.attempts',
  structured: 'toolgen.call.structured',
  service: 'toolgen.call.service',
  model: 'toolgen.call.model',
  children: 'toolgen.call.children',
  issues: 'toolgen.call.issues',
  issueCount: 'toolgen.call.issue_count',
  parentCall: 'toolgen.call.parent_id',
  runId: 'toolgen.run.id',
  turnId: 'toolgen.turn.id',
  runStatus: 'toolgen.run.status',
  stop: 'toolgen.run.stop_reason',
  runModel: 'toolgen.run.model',
  turns: 'toolgen.run.turns',
  toolCalls: 'toolgen.run.tool_calls',
  sessionOrigin: 'toolgen.session.origin',
} as const

/** Before the names that a registration's telemetry builder gives. */
export const BUILDER_PREFIX = 'toolgen.attributes.'
