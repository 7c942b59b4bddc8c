import type { ChatMessage } from '@toolgen/runtime/chat'
import { api, type RunSummary } from '../api.js'
import { type ModelLine, recordedRequests } from '../imported.js'
import { useLoaded } from '../store.js'
import { type StepNode, type Timeline, textOf } from '../timeline.js'
import { Code, Details, Failure, Loading, Prose, plural, Tag } from './common.js'
import { Json } from './json.js'
import { Part } from './outcome.js'

/** Model requests of the run in which a person last opened a step. Only one run, because the requests of several runs could need much memory. */
let loaded: { readonly run: string; readonly requests: Promise<readonly ModelLine[]> } | undefined

function requestsOf(run: string): Promise<readonly ModelLine[]> {
  if (loaded?.run !== run) {
    const requests = api.cassette(run).then((text) => recordedRequests('The cassette', text.split('\n').slice(1)))
    loaded = { run, requests }
    requests.catch(() => {
      loaded = undefined
    })
  }
  return loaded.requests
}

function missingReason(run: RunSummary | undefined): string | undefined {
  if (run?.isOwn === false || run?.kind === 'call')
    return 'The studio records only the requests of runs that it starts.'
  if (run === undefined || run.status === 'running' || run.status === 'waiting') return 'Shown when the run has ended.'
  return undefined
}

export function StepRequest({ step, timeline }: { readonly step: StepNode; readonly timeline: Timeline }) {
  const { summary: run } = timeline
  const reason = missingReason(run)
  const { value, error } = useLoaded(`requests:${run?.id}:${reason}`, async () =>
    run === undefined || reason !== undefined ? undefined : requestsOf(run.id),
  )
  return (
    <Part title="Request">
      {reason !== undefined && <p className="dim">{reason}</p>}
      {error?.status === 409 ? (
        // A cassette that contains hidden values is not available. This response is not an error.
        <p className="dim">
          <Prose text={error.message} />
        </p>
      ) : (
        error !== undefined && <Failure error={error} />
      )}
      {reason === undefined && value === undefined && error === undefined && <Loading label="Loading the request" />}
      {value !== undefined && <Request request={requestOf(step, timeline, value)} />}
    </Part>
  )
}

/** Returns the model request of a step. Returns `undefined` if the agent has repeated a request, because a step can then have several requests. */
function requestOf(step: StepNode, timeline: Timeline, recorded: readonly ModelLine[]): ModelLine | undefined {
  const steps = timeline.stepsOf(step.agent)
  const requests = recorded.filter(({ agent }) => agent === step.agent)
  return steps.length === requests.length ? requests[steps.indexOf(step)] : undefined
}

function Request({ request }: { readonly request: ModelLine | undefined }) {
  if (request === undefined) {
    return <p className="dim">The recording has no single request for this step. Download the cassette to see all.</p>
  }
  const { messages, tools } = request.request
  const names = Object.keys(tools)
  return (
    <div className="stack" data-request>
      <div className="facts">
        <span>
          {plural(messages.length, 'message')}, {plural(names.length, 'tool')}
        </span>
        {names.map((name) => (
          <Tag key={name}>{name}</Tag>
        ))}
      </div>
      <ol className="plain">
        {messages.map((message, index) => (
          // The key is the index, because the messages of a request never change.
          <li key={`${index}`}>
            <Message message={message} />
          </li>
        ))}
      </ol>
    </div>
  )
}

/** Maximum length of a message in its one-line summary, in characters. */
const SHOWN = 120

function Message({ message }: { readonly message: ChatMessage }) {
  const text = textOf(message.content)
  const isText = text !== '' && typeof message.content === 'string' && !('tool_calls' in message)
  return (
    <Details
      title={
        <>
          <b>{message.role}</b> <span className="dim">{text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}</span>
        </>
      }
    >
      {isText ? <Code text={text} label={`message of ${message.role}`} /> : <Json value={message} label="message" />}
    </Details>
  )
}
