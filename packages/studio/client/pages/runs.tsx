import { Button, Select, TextInput } from '@mantine/core'
import type { ChatMessage } from '@toolgen/runtime/chat'
import { useEffect, useMemo, useRef, useState } from 'react'
import { runFileName } from '../../src/file-name.js'
import { hasWords, searchWords } from '../../src/search.js'
import { api, type RequestFailure, type RunRecord, type RunSummary } from '../api.js'
import { type Feed, useFeed } from '../feed.js'
import {
  Code,
  CopyIcon,
  cost,
  count,
  Details,
  duration,
  Empty,
  Failure,
  Icon,
  Loading,
  Prose,
  plural,
  StatusTag,
  Tag,
  time,
} from '../parts/common.js'
import { ApprovalFacts, approvalText } from '../parts/outcome.js'
import { PendingList } from '../parts/pending.js'
import { TimelineView } from '../parts/timeline-view.js'
import { failureOf, linkTo, open, useLoaded, useRoute, useStudio, useSummary } from '../store.js'
import { type CallNode, endOfStep, type Timeline, type TimelineNode, textOf } from '../timeline.js'

export function RunsPage() {
  const runs = useStudio(({ runs }) => runs)
  const { path, query } = useRoute()
  const id = path[1]
  const other = query.get('compare') ?? undefined
  if (runs === undefined) return <Loading label="Loading the runs" />
  return (
    <div className={`split ${id === undefined && runs.length > 0 ? 'split-list' : 'split-detail'}`}>
      <RunList runs={runs} id={id} />
      {id === undefined ? (
        <div className="split-main">
          {runs.length === 0 ? (
            <Empty icon="runs" title="No runs yet">
              <a className="link" href={linkTo(['tools'])}>
                Call a tool
              </a>{' '}
              or{' '}
              <a className="link" href={linkTo(['chat'])}>
                talk to an agent
              </a>
              . Runs of the application appear here too.
            </Empty>
          ) : (
            <Empty icon="runs" title="Select a run">
              {plural(runs.length, 'run')}. Press <kbd>/</kbd> to search for agents, tools and texts.
            </Empty>
          )}
        </div>
      ) : other === undefined ? (
        <Run key={id} id={id} />
      ) : (
        <Compare key={`${id}:${other}`} ids={[other, id]} />
      )}
    </div>
  )
}

const STATUSES = ['running', 'waiting', 'completed', 'failed', 'stopped', 'suspended', 'denied', 'cancelled']

function RunList({ runs, id }: { readonly runs: readonly RunSummary[]; readonly id: string | undefined }) {
  const [search, setSearch] = useState('')
  const [status, setStatus] = useState<string | null>(null)
  const words = useMemo(() => searchWords(search), [search])
  const { found, error } = useContentSearch(words, runs)
  const shown = useMemo(
    () =>
      runs.flatMap((run) => {
        if (status !== null && run.status !== status) return []
        if (hasWords(words, run)) return [{ run, isInside: false }]
        return found?.has(run.id) === true ? [{ run, isInside: true }] : []
      }),
    [runs, words, found, status],
  )
  return (
    <nav className="split-side" aria-label="Runs">
      <div className="side-head row">
        <TextInput
          id="search"
          className="grow"
          aria-label="Search runs"
          placeholder="Search runs"
          leftSection={<Icon name="search" size={14} />}
          maxLength={200}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Select
          aria-label="Status"
          placeholder="Status"
          w={116}
          clearable
          data={STATUSES}
          value={status}
          onChange={setStatus}
        />
      </div>
      <div className="side-list">
        {error !== undefined && <Failure error={error} />}
        {shown.length === 0 && (
          <p className="side-none" role="status">
            {runs.length === 0
              ? 'No runs yet.'
              : words.length === 0
                ? `No run has the status ${status}.`
                : error !== undefined || found !== undefined
                  ? noMatchText(words, status, error === undefined)
                  : 'Searching the messages and calls…'}
          </p>
        )}
        {shown.map(({ run, isInside }) => (
          <a
            key={run.id}
            className="side-item"
            href={linkTo(['runs', run.id])}
            aria-current={run.id === id ? 'page' : undefined}
            data-run={run.id}
          >
            <span className="side-row">
              <span className="side-title">{run.tool ?? run.agent ?? run.kind}</span>
              <StatusTag status={run.status} />
            </span>
            <span className="side-text">{run.title === '' ? '(no input)' : run.title}</span>
            <span className="side-facts">
              <span>{time(run.startedAt)}</span>
              {run.durationMs !== undefined && <span>{duration(run.durationMs)}</span>}
              {tokens(run) > 0 && <span>{count(tokens(run))} tok</span>}
              {run.usage.cost !== undefined && <span>{cost(run.usage.cost)}</span>}
              {run.kind === 'call' && <span>call</span>}
              {isInside && <Tag tone="info">found inside the run</Tag>}
            </span>
          </a>
        ))}
      </div>
    </nav>
  )
}

function noMatchText(words: readonly string[], status: string | null, isComplete: boolean): string {
  const ofStatus = status === null ? '' : ` with the status ${status}`
  const contents = isComplete ? ', messages, arguments, results and errors' : ''
  return `No run${ofStatus} contains ${words.map((word) => `"${word}"`).join(' and ')}. Searched: agents, tools, titles${contents}.`
}

/** Pause in milliseconds after a change of the search, before the page sends a request. */
const SEARCH_PAUSE = 250

/**
 * Hook that searches the contents of runs on the server, because the browser has only summaries. Searches again when a run starts or ends. `found` is
 * `undefined` before the first response to the current search.
 */
function useContentSearch(
  words: readonly string[],
  runs: readonly RunSummary[],
): { readonly found?: ReadonlySet<string>; readonly error?: RequestFailure } {
  const search = words.join(' ')
  const states = runs.map(({ id, status }) => `${id} ${status}`).join()
  const [result, setResult] = useState<{ search: string; found?: ReadonlySet<string>; error?: RequestFailure }>()
  useEffect(() => {
    if (search === '') return
    const controller = new AbortController()
    const { signal } = controller
    const timer = setTimeout(() => {
      api.search(search, signal).then(
        ({ runs: matches }) => signal.aborted || setResult({ search, found: new Set(matches.map(({ id }) => id)) }),
        (reason) => signal.aborted || setResult({ search, error: failureOf(reason) }),
      )
    }, SEARCH_PAUSE)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [search, states])
  return result?.search === search ? result : {}
}

function tokens({ usage }: RunSummary): number {
  return usage.promptTokens + usage.completionTokens
}

function Back() {
  return (
    <a className="back" href={linkTo(['runs'])}>
      <Icon name="back" /> All runs
    </a>
  )
}

function Run({ id }: { readonly id: string }) {
  const feed = useFeed(id)
  const listed = useSummary(id)
  const { removal } = feed.timeline
  // The page still shows a run after the server has discarded the run.
  const last = useRef<RunSummary>(undefined)
  last.current = listed ?? feed.timeline.summary ?? last.current
  const summary = last.current
  const { value: record, error, reload } = useLoaded(`record:${id}:${summary?.status}`, () => api.record(id))
  const [failure, setFailure] = useState<RequestFailure>()
  const runs = useStudio(({ runs }) => runs)
  if (error !== undefined && summary === undefined) {
    return (
      <div className="split-main">
        <Back />
        <Failure error={error} retry={reload} />
      </div>
    )
  }
  if (summary === undefined) return <Loading label="Loading the run" />
  const { status, usage, agent, tool, kind, title, replayOf } = summary
  const original = runs?.find((run) => run.id === replayOf)
  const isEnded = status !== 'running' && status !== 'waiting'
  const isStored = removal === undefined
  const hasCassette = kind === 'run' && summary.isOwn && isEnded && isStored
  const refusal = record?.noCassette
  const others = (runs ?? []).filter(
    (run) => run.id !== id && run.kind === kind && run.agent === agent && run.tool === tool,
  )
  const exported = (): string =>
    JSON.stringify({ summary, messages: record?.messages ?? [], parts: feed.timeline.parts }, null, 2)
  return (
    <article className="split-main run" data-run={id}>
      <Back />
      <header className="page-head">
        <div className="page-title">
          <h2>{tool ?? agent ?? 'Run'}</h2>
          <StatusTag status={status} />
          <span className="page-actions">
            {!isEnded && summary.isOwn && (
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<Icon name="stop" size={14} />}
                onClick={() => api.cancel(id).catch((reason) => setFailure(failureOf(reason)))}
              >
                Cancel
              </Button>
            )}
            {kind === 'run' && isStored && (
              <Button
                component="a"
                size="compact-sm"
                variant="default"
                leftSection={<Icon name="replay" size={14} />}
                href={linkTo(['replay', id])}
              >
                Replay
              </Button>
            )}
            {kind === 'run' && summary.isOwn && agent !== undefined && (
              <Button
                component="a"
                size="compact-sm"
                variant="default"
                leftSection={<Icon name="chat" size={14} />}
                href={linkTo(['chat', agent, id])}
              >
                Open in Chat
              </Button>
            )}
            <CopyIcon text={exported} label="Copy the run as JSON" />
            <DownloadButton
              label="Export"
              name={runFileName(summary, 'json')}
              text={async () => exported()}
              onFailure={setFailure}
            />
            {hasCassette && (
              <DownloadButton
                label="Download cassette"
                name={runFileName(summary, 'jsonl')}
                text={() => api.cassette(id)}
                isDisabled={record === undefined || refusal !== undefined}
                onFailure={setFailure}
              />
            )}
          </span>
        </div>
        {title !== '' && <p className="page-text run-title">{title}</p>}
        {replayOf !== undefined && (
          <p className="dim">
            Replay of{' '}
            <a className="link" href={linkTo(['runs', replayOf])}>
              {original === undefined ? 'an earlier run' : `the run of ${time(original.startedAt)}`}
            </a>
            .
          </p>
        )}
        {hasCassette && refusal !== undefined && (
          <p className="dim">
            <Prose text={[refusal.message, refusal.next].filter(Boolean).join(' ')} />
          </p>
        )}
        <dl className="numbers">
          <Fact name="Started" value={time(summary.startedAt)} />
          <Fact name="Duration" value={summary.durationMs === undefined ? '…' : duration(summary.durationMs)} />
          {kind === 'run' && <Fact name="Steps" value={count(usage.turns)} />}
          <Fact name="Calls" value={count(usage.toolCalls)} />
          {(kind === 'run' || tokens(summary) > 0) && (
            <Fact name="Tokens" value={`${count(usage.promptTokens)} → ${count(usage.completionTokens)}`} />
          )}
          {usage.cost !== undefined && <Fact name="Cost" value={cost(usage.cost)} />}
          <Fact name="Started by" value={summary.isOwn ? 'studio' : 'application'} />
        </dl>
        {others.length > 0 && (
          <Select
            className="compare-select"
            aria-label="Compare with another run"
            placeholder="Compare with another run"
            size="xs"
            leftSection={<Icon name="compare" size={14} />}
            searchable
            data={others.map((run) => ({ value: run.id, label: `${time(run.startedAt)} · ${run.title.slice(0, 60)}` }))}
            value={null}
            onChange={(value) => value !== null && open(linkTo(['runs', id], { compare: value }))}
          />
        )}
      </header>
      {failure !== undefined && <Failure error={failure} />}
      {removal !== undefined && (
        <p className="notice" role="alert">
          {removal} Its later events are not shown here.
        </p>
      )}
      {summary.reason !== undefined && <p className="notice">The run was cancelled: {summary.reason}</p>}
      {record?.isShortened === true && (
        <p className="notice">The run is too large: the server discarded its oldest parts or long texts.</p>
      )}
      <PendingList run={summary} />
      <TimelineView feed={feed} />
      {record?.text !== undefined && (
        <Details title="Text that the model reads">
          <Code text={record.text} label="text of the model" />
        </Details>
      )}
      {hasCassette && record !== undefined && refusal === undefined && (
        <CassetteHelp summary={summary} record={record} timeline={feed.timeline} />
      )}
    </article>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function CassetteHelp({
  summary,
  record: { messages, earlier },
  timeline,
}: {
  readonly summary: RunSummary
  readonly record: RunRecord
  readonly timeline: Timeline
}) {
  const own = timeline.parts.filter((part) => part.kind === 'item' && part.item.kind !== 'handoff').length
  const input = messages.slice(0, Math.max(messages.length - own, 0))
  const command = earlier.length === 0 ? replayCommand(summary, input) : undefined
  return (
    <Details title="Use of the cassette">
      <p className="dim">
        A cassette is a recording of the run. It repeats the run without models and tools, for example in a test.{' '}
        {command !== undefined
          ? 'To repeat the run in a terminal, download the cassette to the folder of the project, and use this command:'
          : `The command line cannot repeat this run, because ${
              earlier.length > 0 ? 'it continues a conversation' : 'its input was not one text'
            }. Open the cassette on the page Replay, or use it in a test.`}
      </p>
      {command !== undefined && <Code text={command} label="command" />}
      <p className="dim">
        The page Replay opens only cassettes of agents with a model. For other agents, use the file of
        &quot;Export&quot; there.
      </p>
    </Details>
  )
}

function replayCommand(summary: RunSummary, input: readonly ChatMessage[]): string | undefined {
  const [first, second] = input
  // The command line reads the text `-` from standard input.
  if (first?.role !== 'user' || second !== undefined || typeof first.content !== 'string' || first.content === '-') {
    return undefined
  }
  const agent = summary.agent ?? ''
  const name = /^\w[\w.-]*$/.test(agent) ? agent : shellQuoted(agent)
  return `npx toolgen run --cassette ${runFileName(summary, 'jsonl')} -- ${name} ${shellQuoted(first.content)}`
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function DownloadButton({
  label,
  name,
  text,
  isDisabled,
  onFailure,
}: {
  readonly label: string
  readonly name: string
  readonly text: () => Promise<string>
  readonly isDisabled?: boolean
  readonly onFailure: (failure: RequestFailure | undefined) => void
}) {
  const download = async (): Promise<void> => {
    try {
      const url = URL.createObjectURL(new Blob([await text()], { type: 'application/octet-stream' }))
      const link = document.createElement('a')
      link.href = url
      link.download = name
      link.click()
      URL.revokeObjectURL(url)
      onFailure(undefined)
    } catch (reason) {
      onFailure(failureOf(reason))
    }
  }
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<Icon name="download" size={14} />}
      disabled={isDisabled}
      onClick={() => void download()}
    >
      {label}
    </Button>
  )
}

interface ComparedEntry {
  readonly kind: 'message' | 'call'
  readonly title: string
  readonly text: string
  /** Call in the timeline. Absent for a message, and for a call before the run. */
  readonly call?: CallNode
}

type ComparedStep = readonly ComparedEntry[]

function comparedMessage(role: string, text: string): ComparedEntry[] {
  // A message without a text only requests calls, which are entries of their own.
  return text === '' ? [] : [{ kind: 'message', title: role, text }]
}

function callText(sent: string, result: string | undefined): string {
  return result === undefined ? sent : `${sent}\n→ ${result}`
}

/**
 * Divides the messages before a run into steps: the messages for the model, its response, and the calls in the response. If the last message is from
 * the user, the last step has no response.
 */
function stepsBefore(messages: readonly ChatMessage[], titleOf: (name: string) => string): ComparedStep[] {
  const steps: ComparedEntry[][] = [[]]
  let isAnswered = false
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') continue
    if (isAnswered) steps.push([])
    isAnswered = message.role === 'assistant'
    const step = steps.at(-1)
    step?.push(...comparedMessage(message.role, textOf(message.content)))
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
    const results = messages.slice(index + 1, endOfStep(messages, index))
    for (const call of calls) {
      if (call.type !== 'function') continue
      const result = results.find((each) => each.role === 'tool' && each.tool_call_id === call.id)
      const { name, arguments: sent } = call.function
      step?.push({ kind: 'call', title: titleOf(name), text: callText(sent, result && textOf(result.content)) })
    }
  }
  if (isAnswered) steps.push([])
  return steps
}

/** Returns the steps of a conversation: the steps before the run, and the steps of the outermost run. A call outside a run is one step. */
function comparedSteps(before: readonly ComparedStep[], { roots }: Timeline): readonly ComparedStep[] {
  const entriesOf = (node: TimelineNode): ComparedEntry[] => {
    if (node.kind === 'message') return comparedMessage(node.item.role, textOf(node.item.content))
    if (node.kind !== 'call') return []
    const { outcome } = node.ended ?? {}
    const result =
      outcome?.status === 'completed' ? outcome.json : outcome?.status === 'failed' ? outcome.error.message : undefined
    return [{ kind: 'call', title: node.title, text: callText(node.arguments, node.modelText ?? result), call: node }]
  }
  const steps = [...before.slice(0, -1)]
  // Entries between two steps, such as messages of the user, belong to the next step.
  let step = [...(before.at(-1) ?? [])]
  for (const node of roots) {
    if (node.kind !== 'step') step.push(...entriesOf(node))
    else {
      steps.push([...step, ...node.children.flatMap(entriesOf)])
      step = []
    }
  }
  return [...steps, step].filter(({ length }) => length > 0)
}

/** Returns `true` if two entries look the same: equal title and text, and for calls, equal status and decision. */
function isSameEntry(one: ComparedEntry, other: ComparedEntry | undefined): boolean {
  if (one.kind !== other?.kind || one.title !== other.title || one.text !== other.text) return false
  if (one.call === undefined || other.call === undefined) return true
  return one.call.status === other.call.status && approvalText(one.call) === approvalText(other.call)
}

/**
 * Returns the entry of the step `other` that the page shows next to `entry`. For the second call of a tool in `own`, returns the second call of this
 * tool in `other`.
 */
function twinOf(entry: ComparedEntry, own: ComparedStep, other: ComparedStep): ComparedEntry | undefined {
  const isAlike = ({ kind, title }: ComparedEntry): boolean => kind === entry.kind && title === entry.title
  return other.filter(isAlike)[own.filter(isAlike).indexOf(entry)]
}

async function messagesBefore(id: string): Promise<readonly ChatMessage[]> {
  try {
    const { messages, before } = await api.record(id)
    return messages.slice(0, before)
  } catch (error) {
    if (failureOf(error).status === 404) return []
    throw error
  }
}

const SIDES = ['Earlier', 'Later'] as const

function Compare({ ids: [other, selected] }: { readonly ids: readonly [string, string] }) {
  const runs = useStudio(({ runs }) => runs) ?? []
  // A run that the server no longer stores is the earlier run, because the server removes the oldest runs first.
  const startOf = (id: string): number => runs.find((run) => run.id === id)?.startedAt ?? 0
  const [left, right] = startOf(selected) < startOf(other) ? [selected, other] : [other, selected]
  const feeds = [useFeed(left), useFeed(right)] as const
  const summaries = [useSummary(left), useSummary(right)] as const
  const { value, error, reload } = useLoaded(`compare:${left}:${right}`, () =>
    Promise.all([messagesBefore(left), messagesBefore(right), api.tools()]),
  )
  const before = useMemo(() => {
    if (value === undefined) return undefined
    const [first, second, { tools }] = value
    const titleOf = (name: string): string => tools.find(({ toolName }) => toolName === name)?.title ?? name
    return [stepsBefore(first, titleOf), stepsBefore(second, titleOf)] as const
  }, [value])
  const [first, second] = feeds.map(({ timeline }: Feed, side) => {
    const earlier = before?.[side]
    return earlier === undefined ? [] : comparedSteps(earlier, timeline)
  })
  const steps = Array.from({ length: Math.max(first?.length ?? 0, second?.length ?? 0) }, (_, index) => {
    const entries = [first?.[index] ?? [], second?.[index] ?? []] as const
    const [one, other] = entries
    const isSame = one.length === other.length && one.every((entry, position) => isSameEntry(entry, other[position]))
    return { entries, isSame }
  })
  const firstChange = steps.findIndex(({ isSame }) => !isSame)
  useEffect(() => {
    if (firstChange > 0) document.getElementById(`step-${firstChange}`)?.scrollIntoView({ block: 'nearest' })
  }, [firstChange])
  return (
    <article className="split-main" aria-label="Comparison">
      <a className="back back-always" href={linkTo(['runs', selected])}>
        <Icon name="back" /> Run
      </a>
      <header className="page-head">
        <div className="page-title">
          <h2>Comparison</h2>
          <span className="dim">
            {before !== undefined &&
              (firstChange === -1
                ? 'The runs have the same steps.'
                : `The first difference is in step ${firstChange + 1}.`)}
          </span>
        </div>
      </header>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {summaries.map((summary) => summary && <PendingList key={summary.id} run={summary} />)}
      <div className="compare">
        {summaries.map((summary, index) => (
          <div key={`head-${index === 0 ? left : right}`} className="compare-head">
            <b>{SIDES[index]}</b>
            {(index === 0 ? left : right) === selected && <Tag>selected</Tag>}
            {summary === undefined ? (
              <span className="dim">The server no longer stores this run.</span>
            ) : (
              <>
                <StatusTag status={summary.status} />
                <span>{summary.tool ?? summary.agent ?? summary.kind}</span>
                <span className="dim">{time(summary.startedAt)}</span>
                {tokens(summary) > 0 && <span className="dim">{count(tokens(summary))} tok</span>}
                <span className="compare-title">{summary.title}</span>
              </>
            )}
          </div>
        ))}
        {steps.flatMap(({ entries, isSame }, index) => [
          // The key is the index, because steps never change their positions.
          <h3 key={`${index}`} id={`step-${index}`} className="compare-step-title">
            Step {index + 1} {!isSame && <Tag tone="warn">different</Tag>}
          </h3>,
          ...entries.map((each, side) => (
            <div
              key={`${index}:${SIDES[side]}`}
              className={`compare-step ${isSame ? '' : 'compare-changed'}`}
              data-same={isSame}
            >
              <span className="compare-side dim">{SIDES[side]}</span>
              {each.length === 0 && <span className="dim">—</span>}
              {each.map((entry, position) => {
                const isChanged = !isSameEntry(entry, twinOf(entry, each, entries[1 - side] ?? []))
                return (
                  <div
                    key={`${position}:${entry.title}`}
                    className={isChanged ? 'compare-entry changed' : 'compare-entry'}
                  >
                    <div className="row">
                      <Icon name={entry.kind === 'call' ? 'tools' : 'chat'} size={14} />
                      <b>{entry.title}</b>
                      {entry.call !== undefined && <StatusTag status={entry.call.status} />}
                    </div>
                    {entry.call !== undefined && <ApprovalFacts call={entry.call} />}
                    <pre>{entry.text}</pre>
                  </div>
                )
              })}
            </div>
          )),
        ])}
      </div>
    </article>
  )
}
