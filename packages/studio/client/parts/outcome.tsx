import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { type CallNode, type Outcome, parsedJson } from '../timeline.js'
import { Code, duration, Icon, StatusTag, Tag } from './common.js'
import { Json } from './json.js'

type Content = NonNullable<Extract<Outcome, { status: 'completed' }>['content']>
type Hint = Extract<Outcome, { status: 'failed' }>['hint']

/** Result, error or suspension of a call, with its updates. */
export function OutcomeView({
  call,
  text,
  onCorrect,
}: {
  readonly call: CallNode
  /** Text that the model reads. Absent if it is unknown. */
  readonly text?: string
  /** Uses the arguments of a corrected example. Absent if the arguments cannot be edited. */
  readonly onCorrect?: (value: unknown) => void
}) {
  const { ended, updates } = call
  const outcome = ended?.outcome
  const isFailed = outcome?.status === 'failed'
  return (
    <div className="stack">
      {updates.length > 0 && (
        <Part title={`Updates (${updates.length})`}>
          <ol className="updates" aria-label="Updates">
            {updates.slice(-50).map((update, index) => (
              // Updates are only appended.
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
        <details className="details" open={isFailed}>
          <summary>Text that the model reads</summary>
          <Code text={text} label="text of the model" />
        </details>
      )}
      {outcome !== undefined && (
        <details className="details">
          <summary>Envelope</summary>
          <Json
            value={{ status: outcome.status, provenance: outcome.provenance, telemetry: ended?.telemetry }}
            label="envelope"
          />
        </details>
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

/** Failed call: the problem, its issues, and an example of valid arguments. */
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
      {issues.length > 0 && (
        <ul className="issues">
          {issues.map((issue) => (
            <li key={issue.path + issue.message}>
              <code>{issue.path === '' ? '(arguments)' : issue.path}</code> {issue.message}
            </li>
          ))}
        </ul>
      )}
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

/** Files and resources of a result. Only images in the result itself are shown: the page loads nothing from other hosts. */
export function Files({ content }: { readonly content: Content }) {
  return (
    <div className="files">
      {content.map((part, index) => (
        // The files of a result never change.
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

/** Facts of a call in one line: status, duration, attempts, service and model. */
export function CallFacts({ call }: { readonly call: CallNode }) {
  const { ended } = call
  if (ended === undefined) return <StatusTag status={call.isWaiting ? 'waiting' : 'running'} />
  const { provenance, status } = ended.outcome
  const { attempts, durationMs, service, model, children, reads, approval, cut } = provenance
  return (
    <div className="facts">
      <StatusTag status={status} />
      <span className="fact">{duration(durationMs)}</span>
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
      {approval !== undefined && (
        <Tag tone="good">
          <Icon name="check" size={12} /> approved
        </Tag>
      )}
      {cut !== undefined && <Tag tone="warn">shortened</Tag>}
    </div>
  )
}
