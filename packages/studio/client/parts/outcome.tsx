import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { type CallNode, changedArguments, includesWait, type Outcome, parsedJson } from '../timeline.js'
import { IssueList } from './arguments.js'
import { Code, Details, duration, Icon, StatusTag, Tag, time } from './common.js'
import { Json } from './json.js'

type Content = NonNullable<Extract<Outcome, { status: 'completed' }>['content']>
type Hint = Extract<Outcome, { status: 'failed' }>['hint']

export function OutcomeView({
  call,
  text,
  onCorrect,
}: {
  readonly call: CallNode
  readonly text?: string
  /** Called with example arguments that a person selects. Absent if the page has no editor for the arguments. */
  readonly onCorrect?: (value: unknown) => void
}) {
  const { ended, updates } = call
  const outcome = ended?.outcome
  const isFailed = outcome?.status === 'failed'
  const edited = outcome?.provenance.approval?.edited
  return (
    <div className="stack">
      <ApprovalFacts call={call} />
      {edited !== undefined && (
        <Part title="Arguments of the approver">
          <Json value={parsedJson(edited)} label="arguments of the approver" />
        </Part>
      )}
      {updates.length > 0 && (
        <Part title={`Updates (${updates.length})`}>
          <ol className="updates" aria-label="Updates">
            {updates.slice(-50).map((update, index) => (
              // The key is the number of the update, because new updates only appear at the end.
              <li key={`${updates.length > 50 ? updates.length - 50 + index : index}`} className="mono">
                {update}
              </li>
            ))}
          </ol>
        </Part>
      )}
      {outcome?.status === 'completed' && (
        <Part title="Result">
          <Json value={parsedJson(outcome.json)} label="result" />
          {outcome.content !== undefined && <Files content={outcome.content} />}
        </Part>
      )}
      {isFailed && <HintView hint={outcome.hint} onCorrect={onCorrect} />}
      {text !== undefined && text !== '' && (
        <Details title="Text that the model reads" isOpen={isFailed}>
          <Code text={text} label="text of the model" />
        </Details>
      )}
      {outcome !== undefined && (
        <Details title="Envelope">
          <Json
            value={{ status: outcome.status, provenance: outcome.provenance, telemetry: ended?.telemetry }}
            label="envelope"
          />
        </Details>
      )}
    </div>
  )
}

export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="part">
      <h4 className="part-title">{title}</h4>
      {children}
    </section>
  )
}

function HintView({ hint, onCorrect }: { readonly hint: Hint; readonly onCorrect?: (value: unknown) => void }) {
  const issues = 'issues' in hint ? (hint.issues ?? []) : []
  const example = 'example' in hint ? hint.example : undefined
  return (
    <div className="hint" role="alert">
      <div className="hint-head">
        <Tag tone="bad">{hint.reason}</Tag>
        <Tag>next: {hint.action}</Tag>
      </div>
      <p className="hint-text">{hint.message}</p>
      {issues.length > 0 && <IssueList issues={issues.map(({ path, message }) => ({ pointer: path, message }))} />}
      {'data' in hint && hint.data !== undefined && <Json value={hint.data} label="data of the failure" />}
      {example !== undefined && (
        <>
          <h4 className="part-title">Example of valid arguments</h4>
          <Code text={JSON.stringify(example, null, 2)} label="example" />
          {onCorrect !== undefined && (
            <Button size="compact-sm" variant="default" onClick={() => onCorrect(example)}>
              Use this example
            </Button>
          )}
        </>
      )}
    </div>
  )
}

/** Files and resources in a result. Shows an image only if the result contains its data, because the page loads nothing from other hosts. */
export function Files({ content }: { readonly content: Content }) {
  return (
    <div className="files">
      {content.map((part, index) => (
        // The key is the index, because the files of a result never change.
        <figure key={`${index}`}>
          {part.type === 'image' ? (
            <img src={`data:${part.mediaType};base64,${part.data}`} alt={`Result ${index + 1}`} />
          ) : (
            <Tag>{'mediaType' in part && part.mediaType !== undefined ? part.mediaType : part.type}</Tag>
          )}
          {'uri' in part && part.uri !== undefined && <figcaption className="mono">{part.uri}</figcaption>}
          {part.type === 'text' && <Code text={part.text} label="text" />}
        </figure>
      ))}
    </div>
  )
}

/**
 * Line about the approval or denial of a call: changed arguments, approver and time. Shows nothing for a call without a decision. The open row of a
 * call does not need this line, because {@link OutcomeView} shows the decision.
 */
export function ApprovalTag({ call }: { readonly call: CallNode }) {
  const text = approvalText(call)
  if (text === undefined) return null
  const isDenied = text === DENIED
  return (
    <span className="decision">
      {/* The status of a call that failed says that it was denied. */}
      {call.status !== 'denied' && (
        <span className={`tag tag-${isDenied ? 'warn' : 'good'}`} title={text}>
          <Icon name={isDenied ? 'cross' : 'check'} size={12} />
          <span className="tag-text">{text}</span>
        </span>
      )}
      <span className="dim">{approverText(call)}</span>
    </span>
  )
}

const DENIED = 'denied'

/** Returns the decision about a call as text, such as `approved with changes: amount 47 → 20`. Returns `undefined` for a call without a decision. */
export function approvalText(call: CallNode): string | undefined {
  const { approval, denial } = call.ended?.outcome.provenance ?? {}
  if (call.status === 'denied' || denial !== undefined) return DENIED
  if (approval === undefined) return undefined
  if (approval.edited === undefined) return 'approved'
  const changes = changedArguments(call).map(
    ({ field, before = 'none', after = 'none' }) => `${field} ${before} → ${after}`,
  )
  return changes.length === 0 ? 'approved with changes' : `approved with changes: ${changes.join(', ')}`
}

function approverText({ ended, end }: CallNode): string {
  const { approval, denial } = ended?.outcome.provenance ?? {}
  const { by, at = end } = denial ?? approval ?? {}
  return [
    ...(by === undefined ? [] : [`by ${by}`]),
    ...(at === undefined ? [] : [`at ${time(at)}`]),
    ...(approval?.remembered === true ? ['(remembered)'] : []),
  ].join(' ')
}

export function ApprovalFacts({ call }: { readonly call: CallNode }) {
  const text = approvalText(call)
  if (text === undefined) return null
  return (
    <p data-approval={call.status}>
      {text} <span className="dim">{approverText(call)}</span>
    </p>
  )
}

export function CallFacts({ call }: { readonly call: CallNode }) {
  const { ended } = call
  if (ended === undefined) return <StatusTag status={call.status} />
  const { attempts, durationMs, service, model, children, reads, cut } = ended.outcome.provenance
  return (
    <div className="facts">
      <StatusTag status={call.status} />
      <span className="fact">
        {duration(durationMs)}
        {includesWait(call) && ', with the wait for approval'}
      </span>
      {attempts > 1 && <Tag tone="warn">{attempts} attempts</Tag>}
      {service !== undefined && (
        <span className="fact">
          <span className="dim">service</span> {service}
        </span>
      )}
      {model !== undefined && (
        <span className="fact">
          <span className="dim">model</span> {model}
        </span>
      )}
      {children !== undefined && <span className="fact">{children.length} nested calls</span>}
      {reads?.map((label) => (
        <Tag key={label} tone="warn">
          read {label}
        </Tag>
      ))}
      {cut !== undefined && <Tag tone="warn">shortened</Tag>}
    </div>
  )
}
