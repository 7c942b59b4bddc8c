import { Button, FileButton, Select, Textarea, UnstyledButton } from '@mantine/core'
import type { ChatMessage } from '@toolgen/runtime/chat'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api, type RequestFailure, type SessionList } from '../api.js'
import { importedRun, type Recorded } from '../imported.js'
import { Empty, Failure, Icon, Loading, Prose, Tag, time } from '../parts/common.js'
import { failureOf, linkTo, open, useLoaded, useRoute, useStudio } from '../store.js'
import { endOfStep, textOf } from '../timeline.js'

/** Media query for narrow screens. On a narrow screen, the pages have only one column. `narrow.css` uses the same width. */
const NARROW = '(max-width: 720px)'

export function ReplayPage() {
  const runs = useStudio(({ runs }) => runs)
  const project = useStudio(({ project }) => project)
  const { path, query } = useRoute()
  const [imported, setImported] = useState<Recorded>()
  // Counts the opened files, because two files can have the same name.
  const [imports, setImports] = useState(0)
  const [failure, setFailure] = useState<RequestFailure>()
  const id = path[1]
  const session = query.get('session') ?? undefined
  const { value, error, isLoading } = useLoaded(`replay:${id}:${session}`, async (): Promise<Recorded | undefined> => {
    if (session !== undefined) return { name: 'Session', ...(await api.session(session)) }
    if (id === undefined) return undefined
    const { summary, messages } = await api.record(id)
    return { name: summary.title, messages, ...(summary.agent !== undefined && { agent: summary.agent }) }
  })
  const importFile = async (file: File | null): Promise<void> => {
    if (file === null) return
    try {
      setImported(importedRun(file.name, await file.text()))
      setImports((count) => count + 1)
      setFailure(undefined)
      open(linkTo(['replay']))
    } catch (reason) {
      setFailure(failureOf(reason))
    }
  }
  const choices = (runs ?? []).filter(({ kind, isOwn }) => kind === 'run' && isOwn)
  const isStored = id !== undefined || session !== undefined
  const recorded = isStored ? value : imported
  return (
    <article className="page">
      <header className="page-head">
        <div className="page-title">
          <h2>Replay</h2>
          <span className="page-actions">
            <Select
              aria-label="Run"
              placeholder="Open a run"
              size="xs"
              w={260}
              searchable
              data={choices.map((run) => ({
                value: run.id,
                label: `${run.agent} · ${time(run.startedAt)} · ${run.title.slice(0, 40)}`,
              }))}
              value={id ?? null}
              onChange={(next) => next !== null && open(linkTo(['replay', next]))}
            />
            <FileButton
              onChange={(file) => void importFile(file)}
              accept=".json,.jsonl,application/json,application/jsonl"
            >
              {(props) => (
                <Button size="compact-sm" variant="default" leftSection={<Icon name="plus" size={14} />} {...props}>
                  Open a file
                </Button>
              )}
            </FileButton>
          </span>
        </div>
      </header>
      {failure !== undefined && <Failure error={failure} />}
      {error !== undefined && <Failure error={error} />}
      {isStored && isLoading && error === undefined && <Loading label="Loading the conversation" />}
      {recorded === undefined && !isStored && (
        <Empty icon="replay" title="Open a run">
          Select a run of the list, or open a file: an exported run, or the cassette of an agent with a model. Then
          change a message, and continue from there.
        </Empty>
      )}
      {recorded === undefined && !isStored && project?.hasSessions === true && <Sessions />}
      {recorded !== undefined && <Messages key={id ?? session ?? imports} recorded={recorded} origin={id} />}
    </article>
  )
}

function Sessions() {
  const [pages, setPages] = useState<readonly SessionList[]>([])
  const [isLoading, setLoading] = useState(true)
  const [error, setError] = useState<RequestFailure>()
  const last = pages.at(-1)
  const load = async (after?: string): Promise<void> => {
    setLoading(true)
    try {
      const page = await api.sessions(after)
      setPages((before) => (after === undefined ? [page] : [...before, page]))
      setError(undefined)
    } catch (reason) {
      setError(failureOf(reason))
    } finally {
      setLoading(false)
    }
  }
  useEffect(() => void load(), [])
  return (
    <section className="card" aria-label="Sessions">
      <div className="card-head">
        <h3>Sessions</h3>
        <span className="card-end row">
          <Button size="compact-sm" variant="default" loading={isLoading} onClick={() => void load()}>
            Reload
          </Button>
        </span>
      </div>
      {error !== undefined && <Failure error={error} />}
      {last?.sessions.length === 0 && <p className="dim">The store has no sessions.</p>}
      <div className="stack">
        {pages.flatMap(({ sessions }) =>
          sessions.map(({ id, namespaces, savedAt }) => (
            <a key={id} className="link" href={linkTo(['replay'], { session: id })}>
              {namespaces.join(', ')} · {new Date(savedAt).toLocaleString()}
            </a>
          )),
        )}
      </div>
      {last?.next !== undefined && (
        <Button size="compact-sm" variant="default" loading={isLoading} onClick={() => void load(last.next)}>
          More
        </Button>
      )}
    </section>
  )
}

interface RequestedCall {
  readonly name: string
  readonly index: number
}

/**
 * Maps the index of each message with a tool result to the call of this result. If several calls have the same id, the last call before the result
 * counts.
 */
function callsOf(messages: readonly ChatMessage[]): ReadonlyMap<number, RequestedCall> {
  const requested = new Map<string, RequestedCall>()
  const calls = new Map<number, RequestedCall>()
  messages.forEach((message, index) => {
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) {
        if (call.type === 'function') requested.set(call.id, { name: call.function.name, index })
      }
    }
    const call = message.role === 'tool' ? requested.get(message.tool_call_id) : undefined
    if (call !== undefined) calls.set(index, call)
  })
  return calls
}

function hasBrokenJson(message: ChatMessage, recorded: ChatMessage | undefined): boolean {
  const before = recorded === undefined ? [] : jsonTexts(recorded)
  return jsonTexts(message).some((text, index) => isJson(before[index] ?? '') && !isJson(text))
}

function jsonTexts(message: ChatMessage): readonly string[] {
  if (message.role === 'tool') return typeof message.content === 'string' ? [message.content] : []
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  return calls.map((call) => (call.type === 'function' ? call.function.arguments : ''))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function Messages({ recorded, origin }: { readonly recorded: Recorded; readonly origin: string | undefined }) {
  const project = useStudio(({ project }) => project)
  const [messages, setMessages] = useState(recorded.messages)
  const [current, setCurrent] = useState(() => firstStop(recorded.messages))
  const [agent, setAgent] = useState(recorded.agent ?? null)
  const [next, setNext] = useState('')
  const [isStarting, setStarting] = useState(false)
  const [error, setError] = useState<RequestFailure>()
  const agents = project?.agents.filter(({ canRun }) => canRun).map(({ name }) => name) ?? []
  const cut = endOfStep(messages, current)
  const last = messages[cut - 1]
  const calls = useMemo(() => callsOf(messages), [messages])
  const broken = messages.slice(0, cut).findIndex((message, index) => hasBrokenJson(message, recorded.messages[index]))
  const editor = useRef<HTMLElement>(null)
  const select = (index: number): void => {
    setCurrent(index)
    // Scrolls to the editor, which is below the list on a narrow screen.
    if (window.matchMedia(NARROW).matches) editor.current?.scrollIntoView({ block: 'start' })
  }
  const needsMessage = last?.role === 'assistant' && next.trim() === ''
  const changed = useMemo(
    () => new Set(messages.flatMap((message, index) => (message === recorded.messages[index] ? [] : [index]))),
    [messages, recorded],
  )
  const run = async (): Promise<void> => {
    if (agent === null) return
    setStarting(true)
    setError(undefined)
    try {
      const added: ChatMessage[] = next.trim() === '' ? [] : [{ role: 'user', content: next }]
      const started = await api.run({ agent, input: [...messages.slice(0, cut), ...added], replayOf: origin })
      open(linkTo(['runs', started.run], { compare: origin }))
    } catch (reason) {
      setError(failureOf(reason))
    } finally {
      setStarting(false)
    }
  }
  if (messages.length === 0) return <Empty icon="replay" title="This conversation has no messages" />
  return (
    <div className="replay">
      <ol className="replay-messages" aria-label="Messages">
        {messages.map((message, index) => (
          // The key is the index, because messages never change their positions.
          <li key={`${index}`} className={index >= cut ? 'replay-later' : undefined}>
            <button
              type="button"
              className="replay-message"
              aria-current={index === current ? 'step' : undefined}
              onClick={() => select(index)}
            >
              <span className="row">
                <span className="dim">{index + 1}</span>
                <Tag tone={message.role === 'tool' ? 'info' : 'neutral'}>{message.role}</Tag>
                {calls.has(index) && <code>{calls.get(index)?.name}</code>}
                {changed.has(index) && <Tag tone="warn">changed</Tag>}
              </span>
              <span className="replay-text">{summaryOf(message)}</span>
            </button>
          </li>
        ))}
      </ol>
      <section ref={editor} className="card replay-editor" aria-label="Selected message">
        <div className="card-head">
          <h3>Message {current + 1}</h3>
          <span className="card-end row">
            <Button
              size="compact-sm"
              variant="default"
              disabled={current === 0}
              onClick={() => setCurrent(current - 1)}
            >
              Previous
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              disabled={current === messages.length - 1}
              onClick={() => setCurrent(current + 1)}
            >
              Next
            </Button>
          </span>
        </div>
        <MessageEditor
          key={current}
          message={messages[current] as ChatMessage}
          recorded={recorded.messages[current]}
          call={calls.get(current)}
          onSelect={select}
          onChange={(message) => setMessages(messages.map((each, index) => (index === current ? message : each)))}
        />
        <hr />
        <h3>Continue after message {cut}</h3>
        {cut > current + 1 && (
          <p className="dim">
            {last?.role === 'tool' && messages[current]?.role === 'assistant'
              ? 'The results of all calls of this message are included, because the model reads them together.'
              : 'The other results of this step are included, because the model reads them together.'}
          </p>
        )}
        <Textarea
          label="Further message of the user"
          description={
            last?.role === 'assistant' ? 'The model has answered, so the agent needs a new message.' : 'Can be empty.'
          }
          autosize
          minRows={1}
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
        />
        {error !== undefined && <Failure error={error} />}
        <div className="row">
          <Select aria-label="Agent" placeholder="Agent" w={180} data={agents} value={agent} onChange={setAgent} />
          <Button
            leftSection={<Icon name="play" size={14} />}
            loading={isStarting}
            disabled={agent === null || needsMessage || broken !== -1 || project?.canCall === false}
            onClick={() => void run()}
          >
            Continue from here
          </Button>
          {changed.size > 0 && (
            <Button variant="default" onClick={() => setMessages(recorded.messages)}>
              Reset
            </Button>
          )}
        </div>
        {broken !== -1 && <p className="dim">Correct the JSON of message {broken + 1} to continue.</p>}
        {project?.canCall === false && project.reason !== undefined && (
          <p className="dim">
            <Prose text={project.reason} />
          </p>
        )}
      </section>
    </div>
  )
}

function firstStop(messages: readonly ChatMessage[]): number {
  return Math.max(
    messages.findIndex(({ role }) => role === 'tool'),
    0,
  )
}

function summaryOf(message: ChatMessage): string {
  const text = textOf(message.content)
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  const names = calls.map((call) =>
    call.type === 'function' ? `${call.function.name}(${call.function.arguments})` : call.type,
  )
  return [text, ...names].filter(Boolean).join(' ')
}

function MessageEditor({
  message,
  recorded,
  call: requested,
  onSelect,
  onChange,
}: {
  readonly message: ChatMessage
  readonly recorded: ChatMessage | undefined
  readonly call: RequestedCall | undefined
  readonly onSelect: (index: number) => void
  readonly onChange: (message: ChatMessage) => void
}) {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  const before = recorded === undefined ? [] : jsonTexts(recorded)
  const errorOf = (text: string, index: number): string | undefined =>
    isJson(before[index] ?? '') && !isJson(text) ? 'The text is no longer valid JSON.' : undefined
  const isText = typeof message.content === 'string' || message.content === null || message.content === undefined
  return (
    <div className="stack">
      {requested !== undefined && (
        <p>
          Result of <code>{requested.name}</code>, called in{' '}
          <UnstyledButton className="link" onClick={() => onSelect(requested.index)}>
            message {requested.index + 1}
          </UnstyledButton>
        </p>
      )}
      {isText ? (
        (calls.length === 0 || Boolean(message.content)) && (
          <Textarea
            label={message.role === 'tool' ? 'Result that the model reads' : 'Text'}
            autosize
            minRows={3}
            maxRows={18}
            value={message.content ?? ''}
            error={message.role === 'tool' ? errorOf(message.content ?? '', 0) : undefined}
            classNames={{ input: message.role === 'tool' ? 'mono' : '' }}
            onChange={(event) => onChange({ ...message, content: event.currentTarget.value } as ChatMessage)}
          />
        )
      ) : (
        <p className="dim">This message has parts that cannot be edited: {textOf(message.content)}</p>
      )}
      {calls.map((call, index) =>
        call.type !== 'function' ? null : (
          <Textarea
            // The key is the index, because models can repeat the id of a call.
            key={`${index}`}
            label={`Arguments of ${call.function.name}`}
            autosize
            minRows={2}
            maxRows={18}
            classNames={{ input: 'mono' }}
            value={call.function.arguments}
            error={errorOf(call.function.arguments, index)}
            onChange={(event) => {
              const changed = { ...call, function: { ...call.function, arguments: event.currentTarget.value } }
              const tool_calls = calls.map((each, position) => (position === index ? changed : each))
              onChange({ ...message, tool_calls } as ChatMessage)
            }}
          />
        ),
      )}
    </div>
  )
}
