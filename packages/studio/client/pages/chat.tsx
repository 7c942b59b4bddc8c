import { ActionIcon, Button, FileButton, Select, Textarea } from '@mantine/core'
import type { ChatMessage } from '@toolgen/runtime/chat'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api, type ProjectInfo, type RequestFailure, type RunRecord, type RunStart } from '../api.js'
import { type Feed, useEarlier, useFeed } from '../feed.js'
import { Code, Empty, Failure, Icon, Prose, StatusTag, toneOf } from '../parts/common.js'
import { Json } from '../parts/json.js'
import { Markdown } from '../parts/markdown.js'
import { ApprovalTag, CallFacts, Files, OutcomeView } from '../parts/outcome.js'
import { onEnter, PendingList } from '../parts/pending.js'
import { LiveView } from '../parts/timeline-view.js'
import { failureOf, linkTo, open, useLoaded, useRoute, useStudio, useSummary } from '../store.js'
import { type CallNode, parsedJson, type Timeline, type TimelineNode, textOf } from '../timeline.js'

export function ChatPage() {
  const project = useStudio(({ project }) => project)
  const { path } = useRoute()
  const agents = project?.agents.filter(({ canRun }) => canRun) ?? []
  const agent = path[1] ?? agents[0]?.name
  if (project !== undefined && agents.length === 0) {
    return (
      <Empty icon="chat" title="No agent can run">
        {project.reason === undefined ? <ModelHelp project={project} /> : <Prose text={project.reason} />}
      </Empty>
    )
  }
  if (agent === undefined) return null
  return <Conversation key={agent} agent={agent} agents={agents.map(({ name }) => name)} run={path[2]} />
}

const MODEL_LINES = `import { standard } from '@toolgen/runtime/openai'

const agent = standard({ model: 'gpt-5.2' }).build()`

function ModelHelp({ project: { agents, module } }: { readonly project: ProjectInfo }) {
  const file = module === undefined ? 'the code that registers the agent' : `\`${module}\``
  const command = module === undefined ? 'the application' : '`toolgen dev`'
  if (agents.length === 0) {
    const from = module === undefined ? 'pass it to `studio.handler`' : `export it from ${file}`
    return (
      <Prose
        text={`The project has no agent. Define one with \`defineAgent\`, register it with a model, and ${from}.`}
      />
    )
  }
  return (
    <div className="model-help">
      <p>
        <Prose text={`No agent has a model or a planner. For a model of OpenAI, add these lines to ${file}:`} />
      </p>
      <Code text={MODEL_LINES} label="lines" />
      <p>
        <Prose text="Add `agent` to the options with which you register the agent:" />
      </p>
      <Code text="{ agent, toolsets: … }" label="options" />
      <p>
        <Prose
          text={`Then run \`npm install openai\`, set the environment variable \`OPENAI_API_KEY\`, and start ${command} again.`}
        />
      </p>
      <p>
        <Prose text="For other models, pass a driver to `standard` of `@toolgen/runtime/agents`, for example `anthropicDriver` or `aiSdkDriver`." />
      </p>
    </div>
  )
}

function Conversation({
  agent,
  agents,
  run,
}: {
  readonly agent: string
  readonly agents: readonly string[]
  readonly run?: string
}) {
  const project = useStudio(({ project }) => project)
  const feed = useFeed(run)
  const { timeline } = feed
  const summary = useSummary(run) ?? timeline.summary
  const status = summary?.status
  const isBusy = status === 'running' || status === 'waiting'
  const { value: record, error } = useLoaded(`chat:${run}:${timeline.items}:${status}`, async () =>
    run === undefined ? undefined : api.record(run),
  )
  const [last, setLast] = useState<RunRecord>()
  const [sent, setSent] = useState<string>()
  const [failure, setFailure] = useState<RequestFailure>()
  const end = useRef<HTMLDivElement>(null)
  const { messages, earlier } = record ?? last ?? NO_RECORD
  // The next message of the person is the answer to a question of the agent.
  const [question] = summary?.isOwn === true && summary.pending.length === 1 ? summary.pending : []
  const asked = question?.kind === 'clarification' ? question.id : undefined
  const info = project?.agents.find(({ name }) => name === agent)

  useEffect(() => {
    if (record === undefined) return
    setLast(record)
    setSent(undefined)
  }, [record])
  // Scrolls to the end of the conversation after new content.
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' })
  }, [messages.length, feed.version, sent])

  const send = async (text: string, images: readonly Image[]): Promise<boolean> => {
    setSent(text)
    setFailure(undefined)
    try {
      if (run !== undefined && asked !== undefined) {
        await api.answer(run, { [asked]: { text } })
        return true
      }
      const started = await api.run({ agent, input: inputOf(text, images), ...(run !== undefined && { after: run }) })
      open(linkTo(['chat', agent, started.run]), { replace: true })
      return true
    } catch (reason) {
      setSent(undefined)
      setFailure(failureOf(reason))
      return false
    }
  }
  const startAgain = (): void => {
    setLast(undefined)
    setFailure(undefined)
    open(linkTo(['chat', agent]))
  }
  const isEmpty = messages.length === 0 && sent === undefined
  return (
    <section className="chat" aria-label="Conversation">
      <header className="chat-head">
        <Select
          aria-label="Agent"
          size="xs"
          w={200}
          allowDeselect={false}
          data={agents.includes(agent) ? [...agents] : [agent, ...agents]}
          value={agent}
          onChange={(name) => name !== null && open(linkTo(['chat', name]))}
        />
        {status !== undefined && <StatusTag status={status} />}
        <span className="card-end row">
          {run !== undefined && (
            <a className="link" href={linkTo(['runs', run])}>
              Timeline
            </a>
          )}
          <Button size="compact-sm" variant="default" leftSection={<Icon name="plus" size={14} />} onClick={startAgain}>
            New conversation
          </Button>
        </span>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll the conversation with the keyboard. */}
      <section className="chat-messages" tabIndex={0} aria-label="Transcript">
        {isEmpty && error === undefined && run === undefined && (
          <Empty icon="chat" title={`Talk to ${agent}`}>
            {info?.description !== undefined && <Prose text={info.description} />}
          </Empty>
        )}
        {error !== undefined && <Failure error={error} />}
        <Messages messages={messages} earlier={earlier} feed={feed} sent={sent} />
        {timeline.live !== undefined && <LiveView live={timeline.live} />}
        {status === 'running' && timeline.live === undefined && (
          <p className="dim working" role="status">
            <span className="dot pulse" aria-hidden="true" /> {agent} is working
          </p>
        )}
        {summary !== undefined && <PendingList run={summary} focusApproval />}
        {status !== undefined && (toneOf(status) === 'bad' || status === 'stopped' || status === 'cancelled') && (
          <EndNotice feed={feed} status={status} reason={summary?.reason} />
        )}
        <div ref={end} />
      </section>
      {failure?.code === 'cannot_continue' ? (
        // The composer still contains the message.
        <Failure error={failure} action={{ label: 'Start a new conversation', run: startAgain }} />
      ) : (
        failure !== undefined && <Failure error={failure} />
      )}
      <Composer
        isBusy={isBusy}
        isAsked={asked !== undefined}
        isSending={sent !== undefined}
        send={send}
        cancel={() => void (run !== undefined && api.cancel(run))}
      />
    </section>
  )
}

const NO_RECORD: Pick<RunRecord, 'messages' | 'earlier'> = { messages: [], earlier: [] }

function EndNotice({
  feed: { timeline },
  status,
  reason,
}: {
  readonly feed: Feed
  readonly status: string
  readonly reason: string | undefined
}) {
  const note = timeline.roots.findLast((node) => node.kind === 'note' && node.event.type === 'run_ended')
  const event = note?.kind === 'note' && note.event.type === 'run_ended' ? note.event : undefined
  return (
    <p className="notice" role="alert">
      The run {status === 'failed' ? 'failed' : `was ${status}`}. {reason ?? event?.stop.message ?? event?.stop.reason}
    </p>
  )
}

function nestedCalls({ children }: TimelineNode): readonly CallNode[] {
  return children.flatMap((node) => (node.kind === 'call' ? [node] : nestedCalls(node)))
}

function Messages({
  messages,
  earlier,
  feed: { timeline },
  sent,
}: {
  readonly messages: readonly ChatMessage[]
  readonly earlier: RunRecord['earlier']
  readonly feed: Feed
  /** Message that the person has sent, and that the server has not stored yet. */
  readonly sent: string | undefined
}) {
  const outputs = useMemo(() => {
    const byCall = new Map<string, string>()
    for (const message of messages)
      if (message.role === 'tool') byCall.set(message.tool_call_id, textOf(message.content))
    return byCall
  }, [messages])
  const project = useStudio(({ project }) => project)
  const { value: known } = useLoaded('tools', api.tools, project?.generation)
  const titleOf = (name: string): string => known?.tools.find(({ toolName }) => toolName === name)?.title ?? name
  const timelines = useEarlier(earlier)
  const timelineAt = (index: number): Timeline | undefined => {
    const turn = earlier.find(({ messages: end }) => index < end)
    return turn === undefined ? timeline : timelines.get(turn.run)
  }
  const shown = new Set<CallNode>()
  const lines = messages.flatMap((message, index) => {
    // The index is a stable key, because conversations only grow.
    const key = `${index}`
    if (message.role === 'user') {
      return [
        <div key={key} className="bubble bubble-user">
          <UserContent content={message.content} />
        </div>,
      ]
    }
    if (message.role !== 'assistant') return []
    const text = textOf(message.content) || (message.refusal ?? '')
    const calls = (message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []))
    const turn = timelineAt(index)
    const nodes = calls.map(({ id }) => turn?.callOf(id))
    for (const node of nodes) if (node !== undefined) shown.add(node)
    return [
      ...(text === ''
        ? []
        : [
            <div key={key} className="bubble bubble-agent">
              <Markdown text={text} />
            </div>,
          ]),
      ...calls.map((call, position) => (
        <Call
          // The key contains no call id, because models can repeat an id.
          key={`${key}:${position}`}
          name={titleOf(call.function.name)}
          sent={call.function.arguments}
          output={outputs.get(call.id)}
          node={nodes[position]}
        />
      )),
    ]
  })
  // Adds running calls, which the conversation does not contain yet.
  const running = timeline.roots
    .flatMap((node) => (node.kind === 'call' ? [node] : nestedCalls(node)))
    .filter((node) => !shown.has(node))
  const isLive =
    timeline.summary === undefined || timeline.summary.status === 'running' || timeline.summary.status === 'waiting'
  return (
    <>
      {lines}
      {sent !== undefined && <div className="bubble bubble-user">{sent}</div>}
      {isLive && running.map((node) => <Call key={node.key} name={node.title} sent={node.arguments} node={node} />)}
    </>
  )
}

function UserContent({ content }: { readonly content: Extract<ChatMessage, { role: 'user' }>['content'] }) {
  if (typeof content === 'string') return content
  return content.map((part, index) => {
    const key = `${index}`
    if (part.type === 'text') return <span key={key}>{part.text}</span>
    if (part.type === 'image_url' && part.image_url.url.startsWith('data:image/')) {
      return <img key={key} src={part.image_url.url} alt={`Attachment ${index + 1}`} />
    }
    return <code key={key}>[{part.type}]</code>
  })
}

function Call({
  name,
  sent,
  output,
  node,
}: {
  readonly name: string
  readonly sent: string
  readonly output?: string
  readonly node?: CallNode
}) {
  const outcome = node?.ended?.outcome
  const files = outcome?.status === 'completed' ? outcome.content : undefined
  return (
    <>
      <details className="chat-call" data-call={name}>
        <summary>
          <Icon name="tools" size={14} />
          <b>{node?.title ?? name}</b>
          <span className="dim chat-hint">{node?.ended?.hint ?? node?.hint ?? sent}</span>
          {node !== undefined && (
            <>
              <CallFacts call={node} />
              <ApprovalTag call={node} />
            </>
          )}
        </summary>
        <div className="stack chat-detail">
          <Json value={parsedJson(sent)} label="arguments" />
          {node !== undefined ? (
            <OutcomeView call={node} text={output} />
          ) : (
            output !== undefined && <Json value={parsedJson(output)} label="result" />
          )}
        </div>
      </details>
      {node !== undefined && node.ended === undefined && node.updates.length > 0 && (
        <p className="mono dim chat-update">{node.updates.at(-1)}</p>
      )}
      {files !== undefined && <Files content={files} />}
      {node !== undefined &&
        nestedCalls(node).map((nested) => (
          <Call key={nested.key} name={nested.title} sent={nested.arguments} output={nested.modelText} node={nested} />
        ))}
    </>
  )
}

interface Image {
  readonly name: string
  /** Content of the image as a `data:` URL. */
  readonly url: string
}

function inputOf(text: string, images: readonly Image[]): RunStart['input'] {
  if (images.length === 0) return text
  const parts = images.map(({ url }) => ({ type: 'image_url', image_url: { url } }) as const)
  return [{ role: 'user', content: [{ type: 'text', text }, ...parts] }]
}

async function readImage(file: File): Promise<Image> {
  const reader = new FileReader()
  const url = await new Promise<string>((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`))
    reader.readAsDataURL(file)
  })
  return { name: file.name, url }
}

function Composer({
  isBusy,
  isAsked,
  isSending,
  send,
  cancel,
}: {
  readonly isBusy: boolean
  readonly isAsked: boolean
  readonly isSending: boolean
  readonly send: (text: string, images: readonly Image[]) => Promise<boolean>
  readonly cancel: () => void
}) {
  const [text, setText] = useState('')
  const [images, setImages] = useState<readonly Image[]>([])
  const [failure, setFailure] = useState<RequestFailure>()
  const forgetFiles = useRef<() => void>(null)
  const canSend = !isBusy || isAsked
  const submit = async (): Promise<void> => {
    if (text.trim() === '' || !canSend || isSending) return
    setText('')
    // Keeps attached images for a later message if this message answers a question, because an answer contains no images.
    if (!isAsked) setImages([])
    if (await send(text, images)) return
    setText((later) => (later === '' ? text : later))
    setImages((later) => (later.length === 0 ? images : later))
  }
  const attach = async (files: readonly File[]): Promise<void> => {
    try {
      setFailure(undefined)
      const read = await Promise.all(files.map(readImage))
      setImages((before) => [...before, ...read])
    } catch (reason) {
      setFailure(failureOf(reason))
    } finally {
      // Resets the file input, so that a person can attach the same file again.
      forgetFiles.current?.()
    }
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {failure !== undefined && <Failure error={failure} />}
      {images.length > 0 && (
        <ul className="attachments" aria-label="Attachments">
          {images.map(({ name, url }, index) => (
            // The key is the index, because a person can attach the same file twice.
            <li key={`${index}`}>
              <img src={url} alt={name} />
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`Remove ${name}`}
                onClick={() => setImages(images.filter((_, position) => position !== index))}
              >
                <Icon name="cross" size={14} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      <FileButton
        onChange={(files) => void attach(files)}
        accept="image/*"
        multiple
        resetRef={forgetFiles}
        disabled={isAsked}
      >
        {(props) => (
          <ActionIcon variant="default" size="lg" aria-label="Attach an image" disabled={isAsked} {...props}>
            <Icon name="plus" />
          </ActionIcon>
        )}
      </FileButton>
      <Textarea
        className="grow"
        aria-label="Message"
        placeholder={isAsked ? 'Answer the question' : 'Message'}
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onEnter(() => void submit())}
      />
      {canSend && (
        <Button type="submit" disabled={text.trim() === ''}>
          Send
        </Button>
      )}
      {isBusy && (
        <Button variant="default" leftSection={<Icon name="stop" size={14} />} onClick={cancel}>
          Stop
        </Button>
      )}
    </form>
  )
}
