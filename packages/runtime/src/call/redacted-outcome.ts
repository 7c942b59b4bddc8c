import { parsePointer } from '../schema/json-pointer.js'
import type { Issue } from '../types/codec.js'
import type { RetryHint, ToolError } from '../types/failure.js'
import type { JsonText } from '../types/json.js'
import type { CallSuspension, Provenance, ToolOutcome } from '../types/outcome.js'
import type { AgentRun, ToolTelemetry } from '../types/run.js'
import type { Audience } from '../types/tool.js'
import type { Redaction } from './redaction.js'
import type { SensitivePlan } from './sensitive-plan.js'

/** `result.data` keeps the hidden values, because only the application reads this property. */
export function outcomeForModel(
  redaction: Redaction,
  outcome: ToolOutcome,
  plan: SensitivePlan | undefined,
): ToolOutcome {
  if (!redaction.hides('model', plan)) return outcome
  if (outcome.status === 'failed') {
    return Object.freeze({ ...outcome, hint: hintFor(redaction, outcome.hint, 'model', plan) })
  }
  if (outcome.status !== 'completed' || outcome.acknowledgement !== undefined) return outcome
  const json = redaction.json(outcome.json, 'model', plan?.result)
  const content = outcome.content && redaction.structure(outcome.content, 'model')
  const shown = { ...outcome, json, ...(content !== undefined && { content }) }
  const { approval } = outcome.provenance
  if (approval?.edited === undefined) return Object.freeze(shown)
  // The text for the model tells it about arguments that the approver has changed.
  const provenance = { ...outcome.provenance, approval: approvalFor(redaction, approval, 'model', plan) }
  return Object.freeze({ ...shown, provenance, result: Object.freeze({ ...outcome.result, provenance }) })
}

/** If the outcome has an error, the copied error has no `cause`. */
export function outcomeFor(
  redaction: Redaction,
  outcome: ToolOutcome,
  audience: Audience,
  plan: SensitivePlan | undefined,
): ToolOutcome {
  if (!redaction.hides(audience, plan)) return outcome
  const { call } = outcome
  const provenance = provenanceFor(redaction, outcome.provenance, audience, plan)
  const stop = outcome.stop && { stop: redaction.structure(outcome.stop, audience) }
  const common = { call, provenance, ...stop }
  switch (outcome.status) {
    case 'completed': {
      const { status, json, content, acknowledgement } = outcome
      // A shortened text has the result in the property `result`.
      const isCut = provenance.cut !== undefined
      const text = isCut
        ? redaction.cutJson(json, audience, plan?.result)
        : redaction.json(json, audience, plan?.result)
      const data = redaction.value(outcome.result.data, audience, plan?.result)
      return Object.freeze({
        ...common,
        status,
        result: Object.freeze({ data, provenance }),
        json: text,
        ...(content !== undefined && { content: redaction.structure(content, audience) }),
        ...(acknowledgement !== undefined && { acknowledgement }),
      })
    }
    case 'failed': {
      const { reason, message, issues, data } = outcome.error
      const error = Object.freeze({
        reason,
        message: redaction.text(message, audience),
        ...(data !== undefined && { data: redaction.value(data, audience) }),
        ...(issues !== undefined && { issues: issuesFor(redaction, issues, audience, plan) }),
      }) as ToolError // Only declared failures have data, also in the copy.
      return Object.freeze({
        ...common,
        status: 'failed',
        error,
        hint: hintFor(redaction, outcome.hint, audience, plan),
      })
    }
    case 'suspended':
      return Object.freeze({
        ...common,
        status: 'suspended',
        suspension: suspensionFor(redaction, outcome.suspension, audience, plan),
      })
  }
}

function provenanceFor(
  redaction: Redaction,
  provenance: Provenance,
  audience: Audience,
  plan: SensitivePlan | undefined,
): Provenance {
  const { approval } = provenance
  const shown = redaction.structure(provenance, audience)
  return approval === undefined ? shown : { ...shown, approval: approvalFor(redaction, approval, audience, plan) }
}

function approvalFor<Record extends { readonly edited?: JsonText }>(
  redaction: Redaction,
  approval: Record,
  audience: Audience,
  plan: SensitivePlan | undefined,
): Record {
  const { edited } = approval
  return edited === undefined ? approval : { ...approval, edited: redaction.arguments(edited, audience, plan) }
}

function suspensionFor(
  redaction: Redaction,
  suspension: CallSuspension,
  audience: Audience,
  plan: SensitivePlan | undefined,
): CallSuspension {
  const { arguments: sent, adapted, approval } = suspension
  return Object.freeze({
    ...redaction.structure(suspension, audience),
    ...(approval !== undefined && { approval: approvalFor(redaction, approval, audience, plan) }),
    arguments: redaction.arguments(sent, audience, plan),
    ...(adapted !== undefined && { adapted: redaction.arguments(adapted, audience, plan) }),
  })
}

function hintFor(
  redaction: Redaction,
  hint: RetryHint,
  audience: Audience,
  plan: SensitivePlan | undefined,
): RetryHint {
  return Object.freeze({
    ...redaction.structure(hint, audience),
    ...('rejected' in hint && { rejected: redaction.arguments(hint.rejected, audience, plan) }),
    ...('issues' in hint && hint.issues !== undefined && { issues: issuesFor(redaction, hint.issues, audience, plan) }),
  }) as RetryHint
}

function issuesFor(
  redaction: Redaction,
  issues: readonly Issue[],
  audience: Audience,
  plan: SensitivePlan | undefined,
): readonly Issue[] {
  // Any field of invalid arguments can have a sensitive value.
  const hidesMisplaced = plan?.invalidArguments[audience] !== undefined
  return issues.map((issue) => {
    const path = parsePointer(issue.path) ?? []
    const isHidden = plan !== undefined && redaction.isSensitive(path, audience, [...plan.payload, ...plan.result])
    if (!isHidden && !(hidesMisplaced && quotesNumber(issue))) return redaction.structure(issue, audience)
    const { path: at, description } = issue
    const message = 'The value is invalid.'
    return { constraint: 'check_failed', path: at, message, ...(description !== undefined && { description }) }
  })
}

function quotesNumber(issue: Issue): boolean {
  if (issue.constraint === 'no_variant_matches') return issue.nearest?.some(quotesNumber) === true
  return (
    issue.constraint === 'invalid_range' ||
    (issue.constraint === 'invalid_enum_value' && typeof issue.received === 'number')
  )
}

export function telemetryFor(
  redaction: Redaction,
  telemetry: ToolTelemetry,
  audience: Audience,
  plan: SensitivePlan | undefined,
): ToolTelemetry {
  if (!redaction.hides(audience, plan)) return telemetry
  const { issues, attributes } = telemetry
  return {
    ...telemetry,
    ...(issues !== undefined && { issues: issuesFor(redaction, issues, audience, plan) }),
    ...(attributes !== undefined && { attributes: redaction.value(attributes, audience) }),
  }
}

export function runForTelemetry(redaction: Redaction, run: AgentRun): AgentRun {
  if (!redaction.hides('telemetry')) return run
  const { suspension: _, error, outcomes, messages, ...others } = run
  return {
    ...redaction.structure(others, 'telemetry'),
    messages: redaction.messages(messages, 'telemetry'),
    outcomes: outcomes.map((outcome) => outcomeFor(redaction, outcome, 'telemetry', undefined)),
    ...(error !== undefined && {
      error: { reason: error.reason, message: redaction.text(error.message, 'telemetry') },
    }),
  }
}
