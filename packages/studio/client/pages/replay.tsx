import { Button, FileButton, Select, Textarea } from '@mantine/core'
import type { ChatMessage } from '@toolgen/runtime/chat'
import { useEffect, useMemo, useState } from 'react'
import { api, type RequestFailure, type SessionList } from '../api.js'
import { importedRun, type Recorded } from '../imported.js'
import { Empty, Failure, Icon, Loading, Tag, time } from '../parts/common.js'
import { failureOf, linkTo, open, useLoaded, useRoute, useStudio } from '../store.js'
import { textOf } from '../timeline.js'

/** Steps through the messages of a run, changes one and continues from there. */
export function ReplayPage() {
  const { runs, project } = useStudio()
  const { path, query } = useRoute()
  const [imported, setImported] = useState<Recorded>()
  // Two files can have the same name.
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
          Select a run of the list, or open the file of an exported run or a cassette. Then change a message, and
          continue from there.
        </Empty>
      )}
      {recorded === undefined && !isStored && project?.hasSessions === true && <Sessions />}
      {recorded !== undefined && <Messages key={id ?? session ?? imports} recorded={recorded} origin={id} />}
    </article>
  )
}

/** Sessions of the session store, by pages. */
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

/** Returns the number of messages up to the end of the step to which a message belongs: a request of calls has all its responses. */
export function endOfStep(messages: readonly ChatMessage[], index: number): number {
  let end = index + 1
  while (messages[end]?.role === 'tool') end += 1
  return end
}

function Messages({ recorded, origin }: { readonly recorded: Recorded; readonly origin: string | undefined }) {
  const { project } = useStudio()
  const [messages, setMessages] = useState(recorded.messages)
  const [current, setCurrent] = useState(() => firstStop(recorded.messages))
  const [agent, setAgent] = useState(recorded.agent ?? null)
  const [next, setNext] = useState('')
  const [isStarting, setStarting] = useState(false)
  const [error, setError] = useState<RequestFailure>()
  const agents = project?.agents.filter(({ canRun }) => canRun).map(({ name }) => name) ?? []
  const cut = endOfStep(messages, current)
  const last = messages[cut - 1]
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
      const started = await api.run({ agent, input: [...messages.slice(0, cut), ...added] })
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
          // Messages keep their positions.
          <li key={`${index}`} className={index >= cut ? 'replay-later' : undefined}>
            <button
              type="button"
              className="replay-message"
              aria-current={index === current ? 'step' : undefined}
              onClick={() => setCurrent(index)}
            >
              <span className="row">
                <Tag tone={message.role === 'tool' ? 'info' : 'neutral'}>{message.role}</Tag>
                {changed.has(index) && <Tag tone="warn">changed</Tag>}
              </span>
              <span className="replay-text">{summaryOf(message)}</span>
            </button>
          </li>
        ))}
      </ol>
      <section className="card replay-editor" aria-label="Selected message">
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
          onChange={(message) => setMessages(messages.map((each, index) => (index === current ? message : each)))}
        />
        <hr />
        <h3>Continue after message {cut}</h3>
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
            disabled={agent === null || needsMessage || project?.canCall === false}
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
        {project?.canCall === false && <p className="dim">{project.reason}</p>}
      </section>
    </div>
  )
}

/** Returns the first result of a tool, which people change most. */
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

/** Editor of the text of a message and of the arguments of its calls. */
function MessageEditor({
  message,
  onChange,
}: {
  readonly message: ChatMessage
  readonly onChange: (message: ChatMessage) => void
}) {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  const isText = typeof message.content === 'string' || message.content === null || message.content === undefined
  return (
    <div className="stack">
      {isText ? (
        (calls.length === 0 || Boolean(message.content)) && (
          <Textarea
            label={message.role === 'tool' ? 'Result that the model reads' : 'Text'}
            autosize
            minRows={3}
            maxRows={18}
            value={message.content ?? ''}
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
            // Models can repeat the id of a call. Calls keep their positions.
            key={`${index}`}
            label={`Arguments of ${call.function.name}`}
            autosize
            minRows={2}
            maxRows={18}
            classNames={{ input: 'mono' }}
            value={call.function.arguments}
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
