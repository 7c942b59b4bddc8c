/**
 * HTTP API of the studio, for the studio's page and for other user interfaces. All bodies are JSON, except cassettes. Paths are relative to the base
 * path of the studio.
 *
 * | request | body | response |
 * |---|---|---|
 * | `GET api/project` | | {@link ProjectInfo} |
 * | `GET api/tools` | | {@link ToolList} |
 * | `GET api/tools/{id}?agent={name}` | | {@link ToolDetails} |
 * | `POST api/validate` | {@link ToolArguments} | {@link Validation} |
 * | `POST api/calls` | {@link CallStart} | {@link StartedCall} |
 * | `POST api/runs` | {@link RunStart} | {@link StartedRun} |
 * | `GET api/runs?search={words}` | | {@link RunList}, the newest run first. With `search`, only the runs that contain all words |
 * | `GET api/runs/{id}` | | {@link RunRecord} |
 * | `GET api/runs/{id}/parts` | | Server-sent events, each a {@link StudioPart}, from the first part on. Ends with the run |
 * | `GET api/runs/{id}/cassette` | | Cassette of an ended run that the studio started: JSON lines that `toolgen run` replays |
 * | `POST api/runs/{id}/answers` | {@link RunAnswers} | {@link RunSummary} |
 * | `POST api/runs/{id}/cancel` | | {@link RunSummary} |
 * | `GET api/sessions?after={position}` | | {@link SessionList}, the most recently saved session first |
 * | `GET api/sessions/{id}` | | {@link SessionRecord} |
 * | `GET api/events` | | Server-sent events, each a {@link StudioEvent} |
 * | `GET api/contract/{report}?base={revision}` | | JSON output of `toolgen lint`, `tokens` or `diff`, or {@link CoverageReport} |
 * | `POST api/contract/drift` | `{}` | {@link DriftReport}. Starts the MCP servers that the project imports, or connects to them |
 *
 * Each server-sent event has an `id`. To continue a stream after an event, send the `id` of this event as `Last-Event-ID`. `GET api/events` starts
 * with the current project and all runs, sorted by the time of their most recent change, the oldest change first. A slow client receives only the
 * latest state of each run. After a new connection, request `api/runs` again, because the server can discard runs in the meantime.
 *
 * A search ignores upper and lower case, and finds parts of words. It searches the texts that the API returns about a run: title, agent, tools,
 * messages, arguments, results and errors. The id of a run matches only from its first character. Hidden values, images, ids of calls and unfinished
 * responses of models are not searched. A search can have at most 200 characters.
 *
 * The stream of parts ends after the run. If the application can resume a suspended run, the stream stays open. If the server discards the run, the
 * stream ends with the part `removed`. After the end of the stream, a request with the id of the last part has the status 204. `GET api/events` never
 * ends. The server closes a stream if `authorize` no longer allows the request.
 *
 * An error has the status 4xx or 5xx and the body {@link ApiError}.
 *
 * @module
 */
import type { JsonObject, JsonSchema, JsonValue } from '@toolgen/runtime'
import type { ModelDelta, ModelUsage, PublishedEvent, RunStatus } from '@toolgen/runtime/agents'
import type { ChatMessage, RunItem } from '@toolgen/runtime/chat'

/** Body of a response with a 4xx or 5xx status. */
export interface ApiError {
  readonly error: {
    /** Description of the error in one sentence. */
    readonly message: string
    /** Advice on how to fix the error. Absent if the studio has no advice. */
    readonly next?: string
    /**
     * `cannot_continue`: a new run cannot continue the conversation of the run `after`. To start a new conversation with the same input, omit
     * `after`. Absent for other errors.
     */
    readonly code?: 'cannot_continue'
  }
}

/** Project that the studio shows. */
export interface ProjectInfo {
  /** Display name of the project, for example the name of the package. */
  readonly name: string
  /** Number of the current version. Increases by one each time the studio loads the project again. */
  readonly generation: number
  /** `true` if people can call tools and run agents. `false` for a read-only studio, or if `toolgen dev` has loaded no module with tools. */
  readonly canCall: boolean
  /** Reason why `canCall` is `false`. Absent if `canCall` is `true`. */
  readonly reason?: string
  /**
   * Path of the module that registers the agents, relative to the project, for example `src/serve.ts`. Absent for a studio inside an application, and
   * for a design without a module.
   */
  readonly module?: string
  readonly agents: readonly AgentInfo[]
  /** `true` if the studio has a session store, so that `api/sessions` lists the stored sessions. */
  readonly hasSessions: boolean
  /** Names of the reports that `api/contract` returns. Empty for a studio inside an application. */
  readonly reports: readonly ContractReport[]
  /** Errors and warnings of the most recent code generation or load of the project. Empty after a load without problems. */
  readonly problems: readonly Problem[]
}

/** Error or warning of the design, or of the module that registers the agents. */
export interface Problem {
  readonly severity: 'error' | 'warning'
  /** Code of the diagnostic, e.g. `TG1004`. Absent for an error in the code of the module. */
  readonly code?: string
  readonly message: string
  readonly next?: string
  /** Source position as `file:line:column`. Absent if the position is unknown. */
  readonly place?: string
}

/**
 * Report about the design. `lint`, `tokens` and `diff` contain the JSON output of these commands. The schema of the output is
 * `@toolgen/codegen/cli-output.schema.json`. `coverage` is a {@link CoverageReport}, and `drift` is a {@link DriftReport}.
 */
export type ContractReport = 'lint' | 'tokens' | 'diff' | 'coverage' | 'drift'

/** Error, warning or note of a report. */
export interface ReportDiagnostic {
  readonly severity: 'error' | 'warning' | 'note'
  readonly code: string
  readonly message: string
  readonly next: string
  readonly location?: { readonly file: string; readonly line: number; readonly column: number }
}

/** Comparison of imported toolsets with the current tools of their MCP servers. */
export interface DriftReport {
  readonly command: 'drift'
  /**
   * Exit code: 0 without errors, 4 for a changed server, 3 for errors in the design, and usually 2 for an unreachable server. With several kinds of
   * errors, the lowest of these codes. A skipped server does not change the exit code.
   */
  readonly exitCode: number
  /** Errors and warnings of the design and its snapshots. A snapshot contains the imported tools. */
  readonly diagnostics: readonly ReportDiagnostic[]
  /** One comparison per toolset that was imported from an MCP server. Empty if the design has errors. */
  readonly servers: readonly ServerDrift[]
}

/** Comparison of an imported toolset with its MCP server. */
export interface ServerDrift {
  readonly toolset: string
  /** Path of the snapshot file with the imported tools, relative to the project. */
  readonly snapshot: string
  /** Command or URL of the server. Contains the names of environment variables instead of their values. Absent if the snapshot contains no server. */
  readonly server?: string
  /**
   * Result of the comparison:
   *
   * - `same`: the server is unchanged
   * - `drifted`: the tools, prompts or resources of the server have changed
   * - `unreachable`: the server failed, or did not respond within 30 seconds
   * - `skipped`: the snapshot contains no server
   */
  readonly state: 'same' | 'drifted' | 'unreachable' | 'skipped'
  /** First 200 changes of the server since the import. */
  readonly changes: readonly {
    /** Name of the changed tool, prompt or resource template on the server. */
    readonly tool: string
    /** Kind of the change, such as `added`, `removed`, `narrowed` or `described`. */
    readonly kind: string
    readonly message: string
  }[]
  /**
   * Errors and warnings about the server, with advice. For a changed server, the array contains an error with the first change. If the server has
   * more than 200 changes, a warning contains the number of changes that `changes` omits.
   */
  readonly diagnostics: readonly ReportDiagnostic[]
}

/** Comparison of tool types with the types of the called client methods. */
export interface CoverageReport {
  readonly command: 'coverage'
  /** Exit code: 0 for a design without errors, 3 for a design with errors. */
  readonly exitCode: number
  readonly diagnostics: readonly ReportDiagnostic[]
  readonly tools: readonly {
    readonly agent: string
    readonly toolset: string
    readonly tool: string
    /** Client method that the tool calls, such as `orders.fetch`. */
    readonly method: string
    readonly payload: Coverage
    /** Way in which the updates of a streaming tool are passed. Absent for other tools. */
    readonly updates?: Coverage
    readonly result: Coverage
  }[]
  /** Generated modules that convert payloads and responses. */
  readonly transforms: readonly {
    readonly agent: string
    readonly toolset: string
    readonly file: string
    readonly text: string
  }[]
}

/**
 * Way in which generated code passes the payload, result or updates between a tool and a client method:
 *
 * - `pass`: unchanged
 * - `convert`: converted by generated code
 * - `checked`: validated at run time
 * - `mapper`: converted by a function of the application. `reason` explains why the application must provide this function.
 */
export interface Coverage {
  readonly verdict: 'pass' | 'convert' | 'checked' | 'mapper'
  readonly reason?: string
}

/** Agent of the project. */
export interface AgentInfo {
  readonly name: string
  readonly description: string
  /** System prompt of the agent. Absent for an agent without instructions. */
  readonly instructions?: string
  /** `true` if the agent can run, because the application has registered a planner (for example a model) for the agent. */
  readonly canRun: boolean
  /** Ids of the agent's tools. */
  readonly tools: readonly string[]
}

/** List of all tools of the project. */
export interface ToolList {
  readonly tools: readonly ToolSummary[]
}

/** Summary of a tool for a list. */
export interface ToolSummary {
  /** Id of the tool, e.g. `orders.getOrder`. */
  readonly id: string
  readonly toolset: string
  /** Name of the tool for models, e.g. `orders_getOrder`. */
  readonly toolName: string
  readonly title: string
  readonly description: string
  /** Agent that uses the tool. Absent for a toolset without an agent. Several agents can use tools of the same id. */
  readonly agent?: string
  readonly tags: readonly string[]
  /** Properties of the tool as short labels, such as `read-only`, `destructive`, `approval` and `streaming`. */
  readonly badges: readonly string[]
}

/** Tool with its schemas, examples, failures and definitions for models. */
export interface ToolDetails extends ToolSummary {
  /** JSON Schema of the arguments. Excludes server-owned fields, which the runtime fills. */
  readonly arguments: JsonSchema
  readonly result: JsonSchema
  /** JSON Schema of one update of a streaming tool. Absent for other tools. */
  readonly updates?: JsonSchema
  /** TypeScript declaration of the tool, with types and failures. */
  readonly declaration: string
  readonly examples: readonly JsonValue[]
  readonly failures: readonly { readonly name: string; readonly hint?: string; readonly schema?: JsonSchema }[]
  /** Payload fields that the runtime fills. `from` is the source of the value, such as `labels.tenant`. The studio never shows these values. */
  readonly serverOwned: readonly { readonly field: string; readonly from: string }[]
  /** Names of options that a call of the tool needs: `sessionId` or `labels.NAME`. */
  readonly needs: readonly string[]
  /** Definition of the tool in the format of each model vendor. */
  readonly definitions: readonly VendorDefinition[]
}

/** Definition of a tool in the format of a model vendor, such as `openai`. */
export interface VendorDefinition {
  readonly vendor: string
  readonly definition: JsonValue
  /** Number of tokens of the definition. Exact for OpenAI, an estimate for other vendors. Absent if the number is unknown. */
  readonly tokens?: number
}

/** Tool and arguments, for a call or for a validation. */
export interface ToolArguments {
  /** Id of the tool. */
  readonly tool: string
  /** Agent that uses the tool. Required if several agents use the tool. */
  readonly agent?: string
  /** Arguments as JSON text. Invalid JSON is allowed, to test the reaction of the tool. */
  readonly arguments: string
}

/** Result of the validation of arguments. */
export interface Validation {
  readonly isValid: boolean
  readonly issues: readonly { readonly pointer: string; readonly message: string }[]
  /** Error text that a model would read after a call with these arguments. Empty for valid arguments. */
  readonly text: string
}

/** Options of a call or run. Options that the application returns from `context` of `Studio.handler` have precedence. */
export interface StartOptions {
  /**
   * Id of the user's session. Default for a run: a random id that all runs of the conversation share, or no id if the agent has a tool with
   * `serverOwned: { FIELD: 'sessionId' }`. Default for a call: no id.
   */
  readonly sessionId?: string
  /** Labels in addition to the labels from `context`. Default: no labels. */
  readonly labels?: Readonly<Record<string, string>>
}

/** Body of a request that calls a tool. */
export interface CallStart extends ToolArguments, StartOptions {}

/** Body of a request that starts a run of an agent. */
export interface RunStart extends StartOptions {
  readonly agent: string
  /** Text or messages for the agent, for example the changed messages of an earlier run. */
  readonly input: string | readonly ChatMessage[]
  /**
   * Id of an earlier run whose conversation `input` continues. Default: a new conversation. A conversation with hidden values can only continue in
   * the same runtime and session. In a different runtime or session, for example after a new load of the module, the response has the status 409 and
   * the code `cannot_continue`.
   */
  readonly after?: string
  /** Id of the run that this run repeats with a changed conversation. The page only displays this id. Default: no id. */
  readonly replayOf?: string
}

/** Id of a started run or call. */
export interface StartedRun {
  /** Id of the run or call. */
  readonly run: string
}

/** Response to the start of a call. */
export interface StartedCall extends StartedRun {
  /**
   * Parts and text of a call that ended within 20 ms. For a longer call, `ended` is absent: request the outcome with `api/runs/{id}/parts` or
   * `api/runs/{id}`.
   */
  readonly ended?: {
    readonly parts: readonly StudioPart[]
    /** Text that a model reads as the result of the call. */
    readonly text?: string
  }
}

/** List of all runs and calls that the studio stores. */
export interface RunList {
  readonly runs: readonly RunSummary[]
}

/**
 * Status of a run or call. The studio adds these statuses to `RunStatus`:
 *
 * - `running`: the run has not ended
 * - `waiting`: the run has not ended, and a call or question needs an answer
 * - `denied`: an approver denied the call. Only for calls outside a run.
 */
export type StudioStatus = 'running' | 'waiting' | 'denied' | RunStatus

/** Summary of a run of an agent, or of a tool call outside a run. */
export interface RunSummary {
  readonly id: string
  readonly kind: 'run' | 'call'
  /** Agent of the run or of the called tool. Absent for a call of a toolset without an agent. */
  readonly agent?: string
  /** Id of the called tool. Absent if `kind` is `run`. */
  readonly tool?: string
  /** First line of the run's input. For a call: the arguments, with replacements for sensitive values. */
  readonly title: string
  readonly status: StudioStatus
  /** Start time in milliseconds since the Unix epoch. */
  readonly startedAt: number
  /** Duration in milliseconds. Absent before the end of the run. */
  readonly durationMs?: number
  /** Reason for a cancellation by the studio. Absent for a run that the studio has not cancelled. */
  readonly reason?: string
  readonly usage: ModelUsage & { readonly toolCalls: number; readonly turns: number }
  /** Calls and questions that need an answer. Empty for every `status` except `waiting`. */
  readonly pending: readonly PendingSummary[]
  /** `true` if the studio started the run. People cannot cancel or answer a run that the application started. */
  readonly isOwn: boolean
  /** Ids of the tools that the run and its nested runs have called, without duplicates. */
  readonly calledTools: readonly string[]
  /** Id of the run that this run repeats with a changed conversation. Absent for other runs. */
  readonly replayOf?: string
}

/** Summary of a call or question that needs an answer. `api/runs/{id}` returns the whole {@link PendingAnswer}. */
export interface PendingSummary {
  /** Id of the call or question. Unique in the run. */
  readonly id: string
  readonly kind: 'approval' | 'external' | 'clarification' | 'elicitation'
  /** Id of the tool whose call waits. Absent for a question of the agent. */
  readonly tool?: string
  readonly agent?: string
}

/** Call or question that needs an answer. */
export interface PendingAnswer extends PendingSummary {
  /** Question for the person who answers. */
  readonly prompt?: string
  /** URL (`http:` or `https:`) of a page that an MCP server asks the person to visit. Absent for other questions. */
  readonly url?: string
  /** Arguments of the call as JSON text. Absent for a question. */
  readonly arguments?: string
  /** JSON Schema of the arguments that an approver can edit, or of the form that an MCP server requests. Absent if the schema is unknown. */
  readonly schema?: JsonSchema
}

/**
 * Answers to pending calls and questions, by the id of the {@link PendingAnswer}. If a call has several questions, the call continues after the
 * answer to the last question. `pending` of the returned {@link RunSummary} contains the unanswered questions. For an unknown id, the response has
 * the status 409.
 */
export interface RunAnswers {
  readonly answers: Readonly<Record<string, RunAnswer>>
}

/** Answer to a pending call or question. */
export type RunAnswer =
  /**
   * Approves a call, or agrees to visit the page of an MCP server. `arguments` is a JSON text that replaces all arguments of the call. Keep the
   * placeholders of hidden values, such as `[redacted]`, in this text. The server replaces these placeholders with the hidden values.
   */
  | { readonly decision: 'approve'; readonly arguments?: string }
  /** Denies a call, or declines the question of an MCP server. */
  | { readonly decision: 'deny'; readonly reason?: string }
  /** Answer to a question (`clarification`). */
  | { readonly text: string }
  /** Content of a form that an MCP server requests (`elicitation`). */
  | { readonly content: JsonObject }
  /** Result of a call whose result must come from the application (`external`). */
  | { readonly result: JsonValue }

/** Run or call, with the conversation. */
export interface RunRecord {
  readonly summary: RunSummary
  /** Calls and questions of `summary.pending`, with all data that a person needs for an answer. */
  readonly pending: readonly PendingAnswer[]
  /**
   * Conversation of the run, with the same replacements of sensitive values as in events. Input of people is unchanged: messages in
   * `POST api/runs`, and answers to questions. Empty for a call.
   */
  readonly messages: readonly ChatMessage[]
  /** Number of messages at the start of `messages` that the run did not add: the earlier conversation, and the input of the run. */
  readonly before: number
  /**
   * Earlier runs of the conversation, oldest first. `messages` is the number of messages in the conversation when the earlier run ended. The server
   * may have discarded an earlier run. Empty for a new conversation.
   */
  readonly earlier: readonly { readonly run: string; readonly messages: number }[]
  /** Text that a model reads as the result of the call. Absent for a run, and before the end of a call. */
  readonly text?: string
  /** `true` if the studio has discarded the oldest parts of the run, or long texts of a large part, because the run is too large. */
  readonly isShortened: boolean
  /** Error that `api/runs/{id}/cassette` returns. Absent if the run has a cassette. */
  readonly noCassette?: ApiError['error']
}

/** Page of stored sessions. */
export interface SessionList {
  readonly sessions: readonly SessionSummary[]
  /** Value of `after` for the next page. Absent for the last page. */
  readonly next?: string
}

/** Summary of a stored session for a list. */
export interface SessionSummary {
  /** Encrypted id for requests to this API. The server sends neither the real id nor the user of the session. */
  readonly id: string
  readonly namespaces: readonly string[]
  /** Time of the last save in milliseconds since the Unix epoch. */
  readonly savedAt: number
}

/** Last saved state of a session. An open session can have newer changes. */
export interface SessionRecord {
  /** Name of the session's agent. Absent if the name is unknown. */
  readonly agent?: string
  /** Conversation of the session, with the same replacements of sensitive values as in the store. Empty for a session without messages. */
  readonly messages: readonly ChatMessage[]
  /** Number of streaming calls that were running at the time of the save. */
  readonly runningCalls: number
}

/**
 * Part of the stream of a run:
 *
 * - `event`: event of the runtime. In the event `call_ended`, `outcome` is a `StoredOutcome` of `@toolgen/runtime/agents`, which contains the
 *   result as the JSON text `json`.
 * - `item`: item of the conversation
 * - `nested_item`: item in the conversation of the nested run `runId`
 * - `delta`: piece of a model response
 * - `state`: new status of the run. The last part of an ended run.
 * - `removed`: end of the stream, because the server has discarded the run. If the run continues, later events start a new record.
 *
 * Items and deltas appear only in runs that the studio started.
 */
export type StudioPart =
  | { readonly kind: 'event'; readonly event: PublishedEvent }
  | { readonly kind: 'item'; readonly item: RunItem }
  | { readonly kind: 'nested_item'; readonly runId: string; readonly item: RunItem }
  | { readonly kind: 'delta'; readonly delta: ModelDelta }
  | { readonly kind: 'state'; readonly summary: RunSummary }
  | { readonly kind: 'removed'; readonly reason: string }

/** Server-sent event of `GET api/events`: a changed project, a changed run, or the id of a run that the server has discarded. */
export type StudioEvent =
  | { readonly kind: 'project'; readonly project: ProjectInfo }
  | { readonly kind: 'run'; readonly summary: RunSummary }
  | { readonly kind: 'removed'; readonly run: string }
