/**
 * HTTP API of the studio. The page of the studio uses it, and so can other user interfaces. All bodies are JSON, except cassettes. Paths are
 * relative to the folder at which the studio is mounted.
 *
 * | request | body | response |
 * |---|---|---|
 * | `GET api/project` | | {@link ProjectInfo} |
 * | `GET api/tools` | | {@link ToolList} |
 * | `GET api/tools/{id}?agent={name}` | | {@link ToolDetails} |
 * | `POST api/validate` | {@link ToolArguments} | {@link Validation} |
 * | `POST api/calls` | {@link CallStart} | {@link StartedCall} |
 * | `POST api/runs` | {@link RunStart} | {@link StartedRun} |
 * | `GET api/runs` | | {@link RunList}, the newest run first |
 * | `GET api/runs/{id}` | | {@link RunRecord} |
 * | `GET api/runs/{id}/parts` | | Server-sent events, each a {@link StudioPart}, from the first part on. Ends with the run |
 * | `GET api/runs/{id}/cassette` | | Cassette of an ended run that the studio started: JSON lines that `toolgen run` replays |
 * | `POST api/runs/{id}/answers` | {@link RunAnswers} | {@link RunSummary} |
 * | `POST api/runs/{id}/cancel` | | {@link RunSummary} |
 * | `GET api/sessions?after={position}` | | {@link SessionList}, the last saved session first |
 * | `GET api/sessions/{id}` | | {@link SessionRecord} |
 * | `GET api/events` | | Server-sent events, each a {@link StudioEvent} |
 * | `GET api/contract/{report}?base={revision}` | | JSON output of `toolgen lint`, `tokens` or `diff`, or {@link CoverageReport} |
 * | `POST api/contract/drift` | `{}` | {@link DriftReport}. Starts the MCP servers that the project imports, or connects to them |
 *
 * Each server-sent event has an `id`. A client that sends it as `Last-Event-ID` continues after this event. `GET api/events` begins with the
 * current project and the runs, the last changed run last; a client that reads slowly receives only the last state of each run. A client that
 * connects again must request `api/runs`, because the server may have discarded runs in the meantime.
 *
 * The stream of parts ends with the run, but not with a suspension from which the application can resume the run. It also ends if the server
 * discards the run: the last part is then `removed`. After the end, a request with the id of the last part has the status 204.
 * `GET api/events` does not end by itself. Both end if the request is no longer allowed.
 *
 * An error has the status 4xx or 5xx and the body {@link ApiError}.
 *
 * @module
 */
import type { JsonObject, JsonSchema, JsonValue } from '@toolgen/runtime'
import type { ModelDelta, ModelUsage, PublishedEvent, RunStatus } from '@toolgen/runtime/agents'
import type { ChatMessage, RunItem } from '@toolgen/runtime/chat'

/** Body of a response with an error. */
export interface ApiError {
  readonly error: {
    /** Reason in one sentence. */
    readonly message: string
    /** Next step. Absent if it is unknown. */
    readonly next?: string
    /** `cannot_continue`: the run of `after` cannot be continued, but the same input can start a new conversation. Absent for other errors. */
    readonly code?: 'cannot_continue'
  }
}

/** Project that the studio shows. */
export interface ProjectInfo {
  /** Name for people, for example of the package. */
  readonly name: string
  /** Number that increases by one when the project is loaded again. */
  readonly generation: number
  /** True if tools can be called and agents can run. False for a design without a module, and for a read-only studio. */
  readonly canCall: boolean
  /** Reason why nothing can be called. Absent if `canCall` is true. */
  readonly reason?: string
  readonly agents: readonly AgentInfo[]
  /** True if the studio has a session store, so that `api/sessions` lists its sessions. */
  readonly hasSessions: boolean
  /** Reports that `api/contract` has. Empty if the studio is mounted in an application. */
  readonly reports: readonly ContractReport[]
  /** Errors and warnings of the last generation or load. Empty without any. */
  readonly problems: readonly Problem[]
}

/** Error or warning of the design or of the module. */
export interface Problem {
  readonly severity: 'error' | 'warning'
  /** Code of the diagnostics catalogue, e.g. `TG1004`. Absent for an error of the module itself. */
  readonly code?: string
  readonly message: string
  readonly next?: string
  /** Place as `file:line:column`. Absent if it is unknown. */
  readonly place?: string
}

/**
 * Reports about the design. `lint`, `tokens` and `diff` have the JSON output of these commands: `@toolgen/codegen/cli-output.schema.json`
 * describes it. `coverage` is a {@link CoverageReport}, `drift` a {@link DriftReport}.
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

/** Comparison of the imported toolsets of a design with their MCP servers, at the time of the request. */
export interface DriftReport {
  readonly command: 'drift'
  /** 0 if all servers are unchanged. */
  readonly exitCode: number
  /** Diagnostics of the design and of its snapshots. */
  readonly diagnostics: readonly ReportDiagnostic[]
  /** Servers of the imported toolsets. Empty if the design has errors. */
  readonly servers: readonly ServerDrift[]
}

/** Comparison of an imported toolset with its MCP server. */
export interface ServerDrift {
  readonly toolset: string
  /** Path of the snapshot, relative to the project. */
  readonly snapshot: string
  /** Command or URL of the server. Names of environment variables stand for their values. Absent if the snapshot does not record it. */
  readonly server?: string
  /**
   * `same`: the server is unchanged. `drifted`: its tools, prompts or resources differ. `unreachable`: it did not list them within 30 seconds,
   * or failed. `skipped`: the snapshot does not record the server.
   */
  readonly state: 'same' | 'drifted' | 'unreachable' | 'skipped'
  /** The first 200 changes. */
  readonly changes: readonly {
    /** Name of the tool, prompt or resource template on the server. */
    readonly tool: string
    /** Kind of the change, such as `added`, `removed`, `narrowed` or `described`. */
    readonly kind: string
    readonly message: string
  }[]
  /** Errors and warnings that name the server and the next step: for the changes, the error of the first one and the number of omitted ones. */
  readonly diagnostics: readonly ReportDiagnostic[]
}

/** Comparison of the tools of a design with the methods of its service clients. */
export interface CoverageReport {
  readonly command: 'coverage'
  /** 0 without errors, 3 for errors in the design. */
  readonly exitCode: number
  readonly diagnostics: readonly ReportDiagnostic[]
  readonly tools: readonly {
    readonly agent: string
    readonly toolset: string
    readonly tool: string
    /** Method of the client, such as `orders.fetch`. */
    readonly method: string
    readonly payload: Coverage
    /** Present only for a streaming tool. */
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
 * Result of comparing a part of a tool with a method. `pass`: unchanged. `convert`: generated code converts the values. `checked`: the result
 * is validated at run time. `mapper`: the application must provide a function, for the `reason`.
 */
export interface Coverage {
  readonly verdict: 'pass' | 'convert' | 'checked' | 'mapper'
  readonly reason?: string
}

/** Agent of the project. */
export interface AgentInfo {
  readonly name: string
  readonly description: string
  /** Instructions of the agent, as its model reads them. Absent if it has no instructions. */
  readonly instructions?: string
  /** True if the agent has a planner, so that it can run. */
  readonly canRun: boolean
  /** Ids of the agent's tools. */
  readonly tools: readonly string[]
}

/** Tools of the project. */
export interface ToolList {
  readonly tools: readonly ToolSummary[]
}

/** Tool in a list. */
export interface ToolSummary {
  /** Id of the tool, e.g. `orders.getOrder`. */
  readonly id: string
  readonly toolset: string
  /** Name that models read. */
  readonly toolName: string
  readonly title: string
  readonly description: string
  /** Agent that uses the tool. Absent for a toolset without an agent. Two agents can use a tool with the same id. */
  readonly agent?: string
  readonly tags: readonly string[]
  /** Properties of the tool, as short words: `read-only`, `destructive`, `approval`, `streaming`, `reads private`, `deprecated` ... */
  readonly badges: readonly string[]
}

/** Tool with its contract. */
export interface ToolDetails extends ToolSummary {
  /** JSON Schema of the arguments, without server-owned fields. */
  readonly arguments: JsonSchema
  readonly result: JsonSchema
  /** JSON Schema of an update. Present only for a streaming tool. */
  readonly updates?: JsonSchema
  /** TypeScript declaration of the tool with its types and failures. */
  readonly declaration: string
  readonly examples: readonly JsonValue[]
  readonly failures: readonly { readonly name: string; readonly hint?: string; readonly schema?: JsonSchema }[]
  /** Names of payload fields that the runtime fills, and the metadata that fills them. Their values are never shown. */
  readonly serverOwned: readonly { readonly field: string; readonly from: string }[]
  /** Metadata that a call needs: `sessionId` or `labels.NAME`. */
  readonly needs: readonly string[]
  /** Definition of the tool as models read it, for each vendor. */
  readonly definitions: readonly VendorDefinition[]
}

/** Definition of a tool in the format of a vendor, as its models read it. */
export interface VendorDefinition {
  readonly vendor: string
  readonly definition: JsonValue
  /** Tokens of the definition: counted for OpenAI, estimated for others. Absent if they are unknown. */
  readonly tokens?: number
}

/** Arguments for a tool. */
export interface ToolArguments {
  /** Id of the tool. */
  readonly tool: string
  /** Agent that uses the tool. Required if several agents use it. */
  readonly agent?: string
  /** Arguments as JSON text. The text may be invalid. */
  readonly arguments: string
}

/** Result of the check of arguments. */
export interface Validation {
  readonly isValid: boolean
  readonly issues: readonly { readonly pointer: string; readonly message: string }[]
  /** Text that a model reads after a call with these arguments. Empty if they are valid. */
  readonly text: string
}

/** Options of calls and runs. Those that the function `context` of the application returns have precedence. */
export interface StartOptions {
  /** Id of the user's session. Default: for a run, an id of its conversation, unless a tool needs the id; for a call, none. */
  readonly sessionId?: string
  /** Labels in addition to those of the application. */
  readonly labels?: Readonly<Record<string, string>>
}

/** Call of a tool. */
export interface CallStart extends ToolArguments, StartOptions {}

/** Run of an agent. */
export interface RunStart extends StartOptions {
  readonly agent: string
  /** Text or messages for the agent. Messages can be those of an earlier run, also with changes. */
  readonly input: string | readonly ChatMessage[]
  /**
   * Id of an earlier run whose conversation `input` continues. Default: a new conversation. If the conversation has hidden values, only a run
   * on the same runtime and in the same session can continue it. Others, for example after the module was loaded again, have the status 409
   * and the code `cannot_continue`.
   */
  readonly after?: string
  /** Id of the run that this run repeats with a changed conversation. Only shown: the server may no longer store the run. */
  readonly replayOf?: string
}

/** Id of a started run or call. */
export interface StartedRun {
  /** Id of the run or call. */
  readonly run: string
}

/** Started call. */
export interface StartedCall extends StartedRun {
  /** Parts and text of the call, as its stream and its record contain them. Present if the call ended within 20 ms. */
  readonly ended?: {
    readonly parts: readonly StudioPart[]
    /** Text that a model reads about the outcome. */
    readonly text?: string
  }
}

/** Runs and calls that the studio stores. */
export interface RunList {
  readonly runs: readonly RunSummary[]
}

/**
 * State of a run. `running` and `waiting` runs have not ended: `waiting` means that a call or question needs an answer. `denied` is a call
 * outside a run that an approver denied.
 */
export type StudioStatus = 'running' | 'waiting' | 'denied' | RunStatus

/** Run of an agent, or call of a tool outside a run. */
export interface RunSummary {
  readonly id: string
  readonly kind: 'run' | 'call'
  /** Agent that runs, or that the called tool belongs to. */
  readonly agent?: string
  /** Id of the called tool. Present if `kind` is `call`. */
  readonly tool?: string
  /** First line of the input as a person sent it, or the arguments of the call with sensitive values replaced. */
  readonly title: string
  readonly status: StudioStatus
  /** Time in milliseconds since the Unix epoch. */
  readonly startedAt: number
  /** Duration in milliseconds. Absent until the run has ended. */
  readonly durationMs?: number
  /** Reason why the run was cancelled. Absent if `status` is not `cancelled`, or if the studio did not cancel the run. */
  readonly reason?: string
  readonly usage: ModelUsage & { readonly toolCalls: number; readonly turns: number }
  /** Calls and questions that need an answer. Empty unless `status` is `waiting`. */
  readonly pending: readonly PendingSummary[]
  /** True if the studio started the run. Other runs can only be observed. */
  readonly isOwn: boolean
  /** Ids of the tools that the run or call has called, also in nested runs. Each id appears once. */
  readonly calledTools: readonly string[]
  /** Id of the run that this run repeats with a changed conversation. Absent for other runs. */
  readonly replayOf?: string
}

/** Call or question that needs an answer, as lists and events contain it. `api/runs/{id}` has the whole {@link PendingAnswer}. */
export interface PendingSummary {
  /** Id of the call or question. Another question of the run has another id. */
  readonly id: string
  readonly kind: 'approval' | 'external' | 'clarification' | 'elicitation'
  /** Id of the tool whose call waits. Absent for a question of the agent itself. */
  readonly tool?: string
  readonly agent?: string
}

/** Call or question that needs an answer. */
export interface PendingAnswer extends PendingSummary {
  /** Question for the person who answers. */
  readonly prompt?: string
  /** Page that an MCP server asks the person to visit, with `http:` or `https:`. Absent for other questions. */
  readonly url?: string
  /** Arguments of the call as JSON text. Absent for a question. */
  readonly arguments?: string
  /** JSON Schema of the arguments that an approver can edit, or of the content that an MCP server asks for. Absent if it is unknown. */
  readonly schema?: JsonSchema
}

/**
 * Answers by the id of the pending call or question. Several questions of one call continue together: the studio keeps the answers until each
 * question of the call has one, and `pending` contains the others. An id without a pending question has the status 409.
 */
export interface RunAnswers {
  readonly answers: Readonly<Record<string, RunAnswer>>
}

/** Answer to a call or question that waits. */
export type RunAnswer =
  /**
   * Approves a call. `arguments` replaces the arguments of the call: JSON text of all arguments. A hidden value that is unchanged in the text
   * stays the value of the call. Also agrees to visit the page of an MCP server.
   */
  | { readonly decision: 'approve'; readonly arguments?: string }
  /** Denies a call, or declines the question of an MCP server. */
  | { readonly decision: 'deny'; readonly reason?: string }
  /** Answer to a question (`clarification`). */
  | { readonly text: string }
  /** Content of the form that an MCP server asked for (`elicitation`). */
  | { readonly content: JsonObject }
  /** Result of a call that the application supplies. */
  | { readonly result: JsonValue }

/** Run with its conversation. */
export interface RunRecord {
  readonly summary: RunSummary
  /** Calls and questions of `summary.pending` with all that a person needs for an answer. */
  readonly pending: readonly PendingAnswer[]
  /**
   * Conversation, with sensitive values replaced as for events. Messages that people sent with `POST api/runs`, and their answers to questions,
   * are unchanged. Empty for a call.
   */
  readonly messages: readonly ChatMessage[]
  /**
   * Earlier runs of the conversation, the first one first: `messages` is the length of the conversation at the end of `run`. The server can
   * have discarded these runs. Empty for a new conversation.
   */
  readonly earlier: readonly { readonly run: string; readonly messages: number }[]
  /** Text that a model reads about the outcome. Present for an ended call. */
  readonly text?: string
  /** True if the run is too large to be stored completely: the oldest parts, or long texts of a large part, were discarded. */
  readonly isShortened: boolean
  /** Reason why `api/runs/{id}/cassette` has no cassette. Absent if it has one. */
  readonly noCassette?: ApiError['error']
}

/** Page of the sessions of the session store. */
export interface SessionList {
  readonly sessions: readonly SessionSummary[]
  /** Value of `after` for the next page. Absent for the last page. */
  readonly next?: string
}

/** Session in a list. */
export interface SessionSummary {
  /** Id for the API. Only this server knows the id and the user of the session. */
  readonly id: string
  readonly namespaces: readonly string[]
  /** Time of the last save in milliseconds since the Unix epoch. */
  readonly savedAt: number
}

/** Stored state of a session. It can be older than the session if the session is open. */
export interface SessionRecord {
  /** Name of the agent of the session. Absent if the studio does not know it. */
  readonly agent?: string
  /** Conversation of the session, as stores may contain it. Empty if the session has none. */
  readonly messages: readonly ChatMessage[]
  /** Number of streaming calls that had not ended. */
  readonly runningCalls: number
}

/**
 * Part of a run in the order in which it appeared: an event, an item of the conversation, an item of the nested run `runId`, a delta, or a new
 * state. In the end of a call,
 * `outcome` is a `StoredOutcome` of `@toolgen/runtime/agents`: its result is the JSON text `json`. Only runs that the studio started have items
 * and deltas. The last part of an ended run is its state. `removed` ends the stream of a run that the server no longer stores, for `reason`.
 * If the run continues, its later events begin a new record.
 */
export type StudioPart =
  | { readonly kind: 'event'; readonly event: PublishedEvent }
  | { readonly kind: 'item'; readonly item: RunItem }
  | { readonly kind: 'nested_item'; readonly runId: string; readonly item: RunItem }
  | { readonly kind: 'delta'; readonly delta: ModelDelta }
  | { readonly kind: 'state'; readonly summary: RunSummary }
  | { readonly kind: 'removed'; readonly reason: string }

/** Change of the project or of a run, or the id of a run that the server no longer stores. */
export type StudioEvent =
  | { readonly kind: 'project'; readonly project: ProjectInfo }
  | { readonly kind: 'run'; readonly summary: RunSummary }
  | { readonly kind: 'removed'; readonly run: string }
