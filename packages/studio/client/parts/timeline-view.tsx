import { UnstyledButton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useMemo, useRef, useState } from 'react'
import type { Feed } from '../feed.js'
import {
  type CallNode,
  includesWait,
  parsedJson,
  type Timeline,
  type TimelineNode,
  type TimelineRow,
  textOf,
} from '../timeline.js'
import { Code, cost, count, duration, Icon, type IconName, StatusTag, Tag } from './common.js'
import { Json } from './json.js'
import { ApprovalTag, OutcomeView, Part } from './outcome.js'
import { StepRequest } from './step-request.js'

export function TimelineView({ feed: { timeline, version } }: { readonly feed: Feed }) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  // `version` is a dependency, because the timeline object changes without a new identity.
  const rows = useMemo(() => timeline.rows((node) => !closed.has(node.key)), [timeline, version, closed])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 37,
    overscan: 12,
    getItemKey: (index) => rows[index]?.node.key ?? index,
  })
  const toggled = (set: ReadonlySet<string>, key: string): ReadonlySet<string> => {
    const next = new Set(set)
    if (!next.delete(key)) next.add(key)
    return next
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll the list with the keyboard.
    <section className="timeline" ref={scroller} tabIndex={0} aria-label="Timeline">
      <div className="timeline-rows" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index] as TimelineRow
          return (
            <div
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              className="timeline-slot"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row
                row={row}
                timeline={timeline}
                version={version}
                isOpen={opened.has(row.node.key)}
                isClosed={closed.has(row.node.key)}
                onOpen={() => setOpened((set) => toggled(set, row.node.key))}
                onClose={() => setClosed((set) => toggled(set, row.node.key))}
              />
            </div>
          )
        })}
      </div>
      {timeline.live !== undefined && <LiveView live={timeline.live} />}
    </section>
  )
}

export function LiveView({ live: { text, reasoning, calls } }: { readonly live: NonNullable<Timeline['live']> }) {
  return (
    <div className="live" aria-live="polite">
      {reasoning !== '' && <p className="reasoning">{reasoning}</p>}
      {text !== '' && <p className="prose">{text}</p>}
      {calls.map(({ id, tool, text: sent }) => (
        <p key={id} className="mono dim">
          {tool}({sent}
        </p>
      ))}
    </div>
  )
}

interface RowProps {
  readonly row: TimelineRow
  readonly timeline: Timeline
  /** Version of the timeline. The timeline is one changing object, so React renders a row again only if `version` is different. */
  readonly version: number
  readonly isOpen: boolean
  readonly isClosed: boolean
  readonly onOpen: () => void
  readonly onClose: () => void
}

const Row = memo(function Row({ row: { node, depth }, timeline, isOpen, isClosed, onOpen, onClose }: RowProps) {
  const { icon, title, facts, detail, tone } = describe(node, timeline)
  const hasChildren = node.children.length > 0
  return (
    <div className={`event event-${node.kind} event-${tone}`} data-kind={node.kind} data-depth={depth}>
      <div className="event-line" style={{ paddingLeft: 8 + Math.min(depth, 8) * 18 }}>
        {hasChildren ? (
          <UnstyledButton
            className="event-fold"
            aria-expanded={!isClosed}
            aria-label={isClosed ? 'Show the entries below' : 'Hide the entries below'}
            onClick={onClose}
          >
            <Icon name={isClosed ? 'right' : 'down'} size={14} />
          </UnstyledButton>
        ) : (
          <span className="event-fold" />
        )}
        <UnstyledButton
          className="event-main"
          disabled={detail === undefined}
          aria-expanded={detail && isOpen}
          onClick={onOpen}
        >
          <span className="event-icon">
            <Icon name={icon} size={14} />
          </span>
          <span className="event-title">{title}</span>
          <span className="event-facts">{facts}</span>
        </UnstyledButton>
        <Bar node={node} timeline={timeline} />
      </div>
      {isOpen && detail !== undefined && (
        <div className="event-detail" style={{ marginLeft: 34 + Math.min(depth, 8) * 18 }}>
          {detail()}
        </div>
      )}
    </div>
  )
})

function Bar({ node: { start, end }, timeline }: { readonly node: TimelineNode; readonly timeline: Timeline }) {
  const { start: first, end: last } = timeline
  if (start === undefined || first === undefined || last === undefined) return null
  const whole = Math.max(last - first, 1)
  const left = ((start - first) / whole) * 100
  const width = (((end ?? last) - start) / whole) * 100
  return (
    <span className="bar" aria-hidden="true">
      <span
        className="bar-fill"
        style={{ left: `${Math.min(left, 99)}%`, width: `max(2px, ${Math.min(width, 100 - left)}%)` }}
      />
    </span>
  )
}

interface Description {
  readonly icon: IconName
  readonly title: React.ReactNode
  readonly facts?: React.ReactNode
  readonly tone?: string
  readonly detail?: () => React.ReactNode
}

function describe(node: TimelineNode, timeline: Timeline): Description {
  switch (node.kind) {
    case 'step': {
      const { turn, agent, usage, start, end } = node
      return {
        icon: 'bot',
        title: (
          <>
            <b>Step {turn}</b> <span className="dim">{agent}</span>
          </>
        ),
        facts: (
          <>
            {usage?.model !== undefined && <span className="dim">{usage.model}</span>}
            {usage !== undefined && usage.promptTokens + usage.completionTokens > 0 && (
              <span title="tokens of the prompt → generated tokens">
                {count(usage.promptTokens)} → {count(usage.completionTokens)} tok
              </span>
            )}
            {usage?.cost !== undefined && <span title="cost">{cost(usage.cost)}</span>}
            {start !== undefined && end !== undefined && <DurationFact node={node} ms={end - start} />}
          </>
        ),
        detail: () => (
          <div className="stack">
            <StepRequest step={node} timeline={timeline} />
            {usage !== undefined && (
              <Part title="Usage">
                <Json value={usage} label="usage of the step" />
              </Part>
            )}
          </div>
        ),
      }
    }
    case 'call':
      return describeCall(node)
    case 'message': {
      const { item } = node
      const text = textOf(item.content)
      const calls = 'tool_calls' in item ? (item.tool_calls ?? []) : []
      const shown =
        text !== '' ? text : calls.map((call) => ('function' in call ? call.function.name : call.type)).join(', ')
      return {
        icon: 'chat',
        title: (
          <>
            <b>{item.role}</b>{' '}
            <span className={text === '' ? 'dim' : undefined}>{text === '' ? `requests ${shown}` : shown}</span>
          </>
        ),
        detail: () =>
          text !== '' && calls.length === 0 ? <p className="prose">{text}</p> : <Json value={item} label="message" />,
      }
    }
    case 'note':
      return describeNote(node.event)
  }
}

const WAIT_NOTE = 'The duration contains the wait for approval.'

/** Duration of a step or call. Marks a duration with a wait for an approver, because such a duration is not the speed of the tool. */
function DurationFact({ node, ms }: { readonly node: TimelineNode; readonly ms: number }) {
  if (!includesWait(node)) return <span>{duration(ms)}</span>
  return <span title={WAIT_NOTE}>{duration(ms)} with wait</span>
}

function describeCall(node: CallNode): Description {
  const { title, tool, ended, isParallel, updates, arguments: sent } = node
  const outcome = ended?.outcome
  const hint = ended?.hint ?? node.hint
  return {
    icon: 'tools',
    tone: node.status,
    title: (
      <>
        <b>{title}</b>{' '}
        <span className="dim">{outcome?.status === 'failed' ? outcome.error.message : (hint ?? sent)}</span>
      </>
    ),
    facts: (
      <>
        {isParallel && <Tag>parallel</Tag>}
        {updates.length > 0 && <Tag tone="info">{updates.length} updates</Tag>}
        {outcome !== undefined && outcome.provenance.attempts > 1 && (
          <Tag tone="warn">{outcome.provenance.attempts} attempts</Tag>
        )}
        {outcome !== undefined && outcome.status !== 'suspended' && (
          <DurationFact node={node} ms={outcome.provenance.durationMs} />
        )}
        <ApprovalTag call={node} />
        {node.status !== 'completed' && <StatusTag status={node.status} />}
      </>
    ),
    detail: () => (
      <div className="stack">
        <div className="facts">
          <code className="tool-id">{tool}</code>
          <span className="dim mono">{node.id}</span>
          {includesWait(node) && <span className="dim">{WAIT_NOTE}</span>}
        </div>
        <section className="part">
          <h4 className="part-title">Arguments</h4>
          <Json value={parsedJson(sent)} label="arguments" />
        </section>
        <OutcomeView call={node} text={node.modelText} />
      </div>
    ),
  }
}

function describeNote(event: Extract<TimelineNode, { kind: 'note' }>['event']): Description {
  const detail = () => <Code text={JSON.stringify(event, null, 2)} label="event" />
  switch (event.type) {
    case 'guardrail':
      return {
        icon: 'shield',
        title: (
          <>
            <b>Guardrail {event.guardrail}</b>{' '}
            <span className="dim">{event.message ?? `${event.action} (${event.stage})`}</span>
          </>
        ),
        facts: <Tag tone={event.action === 'flag' ? 'neutral' : 'warn'}>{event.action}</Tag>,
        detail,
      }
    case 'handoff':
      return {
        icon: 'swap',
        title: (
          <>
            <b>
              {event.fromAgent} → {event.toAgent}
            </b>{' '}
            <span className="dim">{event.reason}</span>
          </>
        ),
        detail,
      }
    case 'run_resumed':
      return { icon: 'play', title: <b>Continued after an answer</b>, detail }
    case 'run_ended':
      // This entry does not change after the answer. The calls and the status of the run show whether the run still waits.
      if (event.status === 'suspended') return { icon: 'warn', title: <b>Waits for an answer</b>, detail }
      return {
        icon: 'stop',
        title: (
          <>
            <b>Run {event.status}</b> <span className="dim">{event.stop.message ?? event.stop.reason}</span>
          </>
        ),
        facts: <StatusTag status={event.status} />,
        detail,
      }
  }
}
