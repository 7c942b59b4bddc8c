import type { Effects } from '../../contract/effects.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { Service } from '../../contract/service.js'
import type { ToolRequest } from '../../contract/tool-request.js'
import { type Classify, classify } from '../failure/classify.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { failedOutcome } from '../hint/failed-outcome.js'
import { provenanceDetail } from '../result/provenance-detail.js'
import { adaptResult } from '../tool/adapt.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { limitOf } from '../tool/idle-signal.js'
import { memo } from '../tool/memo.js'
import { abortFailure } from './abort-failure.js'
import { type EncodedResult, encodeResult } from './encode-result.js'
import { passingExample } from './passing-example.js'
import { payloadOf } from './payload.js'
import { untilAborted } from './until-aborted.js'

/** What a tool's service needs of its runtime. */
export interface ServiceContext {
  readonly effects: Effects
  readonly classify: Classify | undefined
}

/**
 * The one path of every call, as the innermost service that layers wrap: payload adapter, decode, server-owned fields,
 * checks, executor, result codec, result adapter, envelope. Never rejects: every failure is an outcome.
 */
export function toolService(tool: BoundTool, context: ServiceContext): Service<ToolRequest, ToolOutcome> {
  return async (request) => {
    const progress: Progress = { tried: false }
    const { attempt } = request.meta
    const limit = limitOf(request.meta)
    try {
      const { data, json, detail } = await untilAborted(limit, () => runTool(tool, request, limit, progress))
      const provenance = {
        tool: tool.id,
        durationMs: elapsed(request, context),
        attempts: attempt,
        ...provenanceDetail(detail),
      }
      return { call: request.call, provenance, status: 'completed', result: { data, provenance }, json }
    } catch (error) {
      const failure = limit?.aborted ? abortFailure(limit) : classify(error, context.effects.now(), context.classify)
      return failedOutcome(failure, {
        call: request.call,
        tool,
        rejected: request.arguments,
        example: await passingExample(tool, failure, request.meta),
        durationMs: elapsed(request, context),
        attempts: progress.tried ? attempt : attempt - 1,
        cause: error,
      })
    }
  }
}

/** How far a call came. */
interface Progress {
  /** Whether the executor was asked. */
  tried: boolean
}

async function runTool(
  tool: BoundTool,
  request: ToolRequest,
  limit: AbortSignal | undefined,
  progress: Progress,
): Promise<EncodedResult> {
  const { meta } = request
  const payload = memo(() => payloadOf(tool, request))
  // A person is asked about a valid call only, whoever decodes it.
  if (!tool.decodeInExecutor || tool.spec.confirmation !== undefined) await payload()
  if (tool.spec.confirmation !== undefined) throw unconfirmed()
  limit?.throwIfAborted()
  progress.tried = true
  const answer = await tool.executor.execute({ tool: tool.spec, meta, json: request.json, payload })
  limit?.throwIfAborted()
  const encoded = encodeResult(tool, answer)
  return tool.resultAdapter === undefined ? encoded : { ...encoded, json: await adaptResult(tool, encoded.json, meta) }
}

function unconfirmed(): ToolFailure {
  return new ToolFailure('This tool needs the approval of a person, and none was given.', { reason: 'denied' })
}

function elapsed(request: ToolRequest, { effects }: ServiceContext): number {
  return Math.max(0, effects.now() - request.startedAt)
}
