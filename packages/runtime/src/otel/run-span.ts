import type { AgentRun } from '../contract/agent-run.js'
import type { RunMeta } from '../contract/planner.js'
import { GEN_AI, TOOLGEN } from './attribute-names.js'
import type { SpanEnd, SpanStart } from './span.js'

/** The span of a run: `invoke_agent {agent}`. */
export function runStart({ agent, runId, sessionId, turnId, parentToolCallId }: RunMeta): SpanStart {
  return {
    name: `invoke_agent ${agent}`,
    attributes: {
      [GEN_AI.operation]: 'invoke_agent',
      [GEN_AI.agent]: agent,
      ...(sessionId !== undefined && { [GEN_AI.conversation]: sessionId }),
      [TOOLGEN.runId]: runId,
      ...(turnId !== undefined && { [TOOLGEN.turnId]: turnId }),
      ...(parentToolCallId !== undefined && { [TOOLGEN.parentCall]: parentToolCallId }),
    },
  }
}

/** What the span of an ended run says. */
export function runEnd(run: AgentRun): SpanEnd {
  const { status, stop, usage } = run
  const reason = runFailureReason(run)
  return {
    attributes: {
      [TOOLGEN.runStatus]: status,
      [TOOLGEN.stop]: stop.reason,
      [TOOLGEN.turns]: usage.turns,
      [TOOLGEN.toolCalls]: usage.toolCalls,
      // A run whose planner says nothing of tokens counts none.
      ...(usage.promptTokens > 0 && { [GEN_AI.inputTokens]: usage.promptTokens }),
      ...(usage.completionTokens > 0 && { [GEN_AI.outputTokens]: usage.completionTokens }),
      ...(usage.model !== undefined && { [TOOLGEN.runModel]: usage.model }),
    },
    ...(reason !== undefined && { failure: { reason } }),
  }
}

/** Why a run failed; `undefined` where it completed, was stopped by a limit, or waits. */
export function runFailureReason({ status, error }: AgentRun): string | undefined {
  if (status === 'cancelled') return 'cancelled'
  return status === 'failed' ? (error?.reason ?? 'internal') : undefined
}
