import { Button, Select, Tabs, TextInput, UnstyledButton } from '@mantine/core'
import { memo, useCallback, useMemo, useRef, useState } from 'react'
import {
  api,
  type RequestFailure,
  type RunSummary,
  type StartedCall,
  type ToolDetails,
  type ToolSummary,
} from '../api.js'
import { timelineOf, useFeed } from '../feed.js'
import { ArgumentsEditor, Issues, jsonText, useValidation } from '../parts/arguments.js'
import { Code, count, Empty, Failure, Icon, Loading, Prose, Tag, ToolBadges, VENDORS } from '../parts/common.js'
import { CallFacts, OutcomeView } from '../parts/outcome.js'
import { PendingList } from '../parts/pending.js'
import {
  failureOf,
  linkTo,
  open,
  storedValue,
  storeValue,
  useLoaded,
  useRoute,
  useStudio,
  useSummary,
} from '../store.js'
import type { Timeline } from '../timeline.js'

export function ToolsPage() {
  const project = useStudio(({ project }) => project)
  const { path, query } = useRoute()
  const { value, error, reload } = useLoaded('tools', api.tools, project?.generation)
  const id = path[1]
  const agent = query.get('agent') ?? undefined
  if (error !== undefined) return <Failure error={error} retry={reload} />
  if (value === undefined) return <Loading label="Loading the tools" />
  if (value.tools.length === 0) {
    return (
      <Empty icon="tools" title="This project has no tools yet">
        Define a toolset with <code>defineToolset</code> in a file of the folder <code>design</code>, and save it.
      </Empty>
    )
  }
  return (
    <div className={`split ${id === undefined ? 'split-list' : 'split-detail'}`}>
      <ToolList tools={value.tools} id={id} agent={agent} />
      {id === undefined ? (
        <div className="split-main">
          <Empty icon="tools" title="Select a tool">
            The project has {count(value.tools.length)} tools. Press <kbd>/</kbd> to search.
          </Empty>
        </div>
      ) : (
        <Tool key={`${agent}:${id}`} id={id} agent={agent} />
      )}
    </div>
  )
}

function ToolList({
  tools,
  id,
  agent,
}: {
  readonly tools: readonly ToolSummary[]
  readonly id: string | undefined
  readonly agent: string | undefined
}) {
  const [search, setSearch] = useState('')
  const groups = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    const result = new Map<string, ToolSummary[]>()
    for (const tool of tools) {
      const text = [tool.id, tool.title, tool.description, tool.agent, ...tool.tags, ...tool.badges]
        .join(' ')
        .toLowerCase()
      if (!words.every((word) => text.includes(word))) continue
      const key = tool.agent === undefined ? tool.toolset : `${tool.agent} / ${tool.toolset}`
      const group = result.get(key)
      if (group === undefined) result.set(key, [tool])
      else group.push(tool)
    }
    // Sorts by name, because a module and a design list agents and toolsets in different orders.
    return [...result].sort(([one], [other]) => (one < other ? -1 : 1))
  }, [tools, search])
  return (
    <nav className="split-side" aria-label="Tools">
      <div className="side-head">
        <TextInput
          id="search"
          aria-label="Search tools"
          placeholder="Search tools"
          leftSection={<Icon name="search" size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      <div className="side-list">
        {groups.length === 0 && <p className="side-none">No tool matches “{search}”.</p>}
        {groups.map(([name, group]) => (
          <section key={name} aria-label={name}>
            <h3 className="side-group">{name}</h3>
            {group.map((tool) => {
              const isCurrent = tool.id === id && tool.agent === agent
              return (
                <a
                  key={`${tool.agent}:${tool.id}`}
                  className="side-item"
                  href={linkTo(['tools', tool.id], { agent: tool.agent })}
                  aria-current={isCurrent ? 'page' : undefined}
                >
                  <span className="side-title">{tool.title}</span>
                  <span className="side-text mono">{tool.toolName}</span>
                  {tool.badges.length > 0 && (
                    <span className="side-badges">
                      <ToolBadges badges={tool.badges} />
                    </span>
                  )}
                </a>
              )
            })}
          </section>
        ))}
      </div>
    </nav>
  )
}

const TABS = ['call', 'contract', 'models'] as const

function Tool({ id, agent }: { readonly id: string; readonly agent: string | undefined }) {
  const project = useStudio(({ project }) => project)
  const { query } = useRoute()
  const load = (): Promise<ToolDetails> => api.tool(id, agent)
  const { value: tool, error, reload } = useLoaded(`tool:${agent}:${id}`, load, project?.generation)
  const tab = TABS.find((name) => name === query.get('tab')) ?? 'call'
  const select = (name: string | null): void =>
    open(linkTo(['tools', id], { agent, tab: name ?? undefined }), { replace: true })
  return (
    <article className="split-main tool">
      <a className="back" href={linkTo(['tools'])}>
        <Icon name="back" /> All tools
      </a>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {tool === undefined && error === undefined && <Loading label="Loading the tool" />}
      {tool !== undefined && (
        <>
          <header className="page-head">
            <div className="page-title">
              <h2>{tool.title}</h2>
              <code className="tool-id">{tool.id}</code>
              <ToolBadges badges={[...tool.badges, ...tool.tags]} />
            </div>
            <p className="page-text">{tool.description}</p>
          </header>
          <Tabs value={tab} onChange={select} keepMounted={false}>
            <Tabs.List>
              <Tabs.Tab value="call">Call</Tabs.Tab>
              <Tabs.Tab value="contract">Contract</Tabs.Tab>
              <Tabs.Tab value="models">What models see</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="call">
              <CallPanel tool={tool} />
            </Tabs.Panel>
            <Tabs.Panel value="contract">
              <Contract tool={tool} />
            </Tabs.Panel>
            <Tabs.Panel value="models">
              <Definitions tool={tool} />
            </Tabs.Panel>
          </Tabs>
        </>
      )}
    </article>
  )
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

/** Edited arguments, and the JSON Schema of the tool when the person edited the arguments. */
interface Draft {
  readonly text: string
  readonly schema: string
}

function useStored<Value>(key: string): readonly [Value | undefined, (value: Value) => void] {
  const [value, setValue] = useState(() => storedValue<Value>(key))
  const set = useCallback(
    (next: Value): void => {
      setValue(next)
      storeValue(key, next)
    },
    [key],
  )
  return [value, set]
}

/** Menu with the examples of a tool. `memo` prevents unnecessary renders, because menus render slowly. */
const Examples = memo(function Examples({
  examples,
  onText,
}: {
  readonly examples: ToolDetails['examples']
  readonly onText: (text: string) => void
}) {
  const options = [
    ...examples.map((_, index) => ({ value: String(index), label: `Example ${index + 1}` })),
    { value: 'empty', label: 'Empty arguments' },
  ]
  return (
    <Select
      aria-label="Use an example"
      placeholder="Use an example"
      size="xs"
      data={options}
      value={null}
      onChange={(value) => value !== null && onText(jsonText(examples[Number(value)] ?? {}))}
    />
  )
})

function CallPanel({ tool }: { readonly tool: ToolDetails }) {
  const project = useStudio(({ project }) => project)
  const { id, agent, examples, needs } = tool
  const schema = JSON.stringify(tool.arguments)
  const [draft, setDraft] = useStored<Draft>(`arguments:${agent}:${id}`)
  const text = draft?.text ?? jsonText(examples[0] ?? {})
  const setText = useCallback((next: string): void => setDraft({ text: next, schema }), [setDraft, schema])
  const hasChanged = draft !== undefined && draft.schema !== schema
  const [meta, setMeta] = useState<Readonly<Record<string, string>>>({})
  const [isStarting, setStarting] = useState(false)
  const isBusy = useRef(false)
  const [error, setError] = useState<RequestFailure>()
  const validation = useValidation(id, agent, text)
  const [started, setStarted] = useState<StartedCall>()
  const [run, setRun] = useStored<string>(`run:${agent}:${id}`)

  const call = async (): Promise<void> => {
    if (isBusy.current) return
    isBusy.current = true
    setStarting(true)
    setError(undefined)
    try {
      const labels = Object.entries(meta).flatMap(([name, value]) =>
        name.startsWith('labels.') && value !== '' ? [[name.slice('labels.'.length), value]] : [],
      )
      const next = await api.call({
        ...{ tool: id, arguments: compact(text) },
        ...(agent !== undefined && { agent }),
        ...(meta['sessionId'] ? { sessionId: meta['sessionId'] } : {}),
        ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
      })
      setStarted(next)
      setRun(next.run)
    } catch (reason) {
      setError(failureOf(reason))
    } finally {
      isBusy.current = false
      setStarting(false)
    }
  }
  const onCorrect = useCallback((value: unknown): void => setText(jsonText(value)), [setText])
  return (
    <div className="stack">
      <form
        className="card"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void call()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat) void call()
        }}
      >
        <div className="card-head">
          <h3>Arguments</h3>
          {examples.length > 0 && <Examples examples={examples} onText={setText} />}
        </div>
        {hasChanged && (
          <p className="notice" role="status">
            The arguments of this tool have changed. Your text is kept.
          </p>
        )}
        <ArgumentsEditor name="call" schema={tool.arguments} text={text} onText={setText} issues={validation?.issues} />
        {needs.length > 0 && (
          <div className="needs">
            {needs.map((need) => (
              <TextInput
                key={need}
                label={need === 'sessionId' ? 'Session id' : `Label ${need.slice('labels.'.length)}`}
                description={`Fills ${tool.serverOwned
                  .filter(({ from }) => from === need)
                  .map(({ field }) => field)
                  .join(', ')}`}
                value={meta[need] ?? ''}
                onChange={(event) => setMeta({ ...meta, [need]: event.currentTarget.value })}
              />
            ))}
          </div>
        )}
        {validation?.isValid === false && <Issues validation={validation} text={text} />}
        {error !== undefined && <Failure error={error} />}
        <div className="card-foot">
          <Button
            type="submit"
            loading={isStarting}
            disabled={project?.canCall === false}
            leftSection={<Icon name="play" size={14} />}
          >
            Call
          </Button>
          <span className="dim">
            {project?.canCall === false ? (
              <Prose text={project.reason ?? ''} />
            ) : (
              <>
                <kbd>Ctrl</kbd> <kbd>Enter</kbd>
              </>
            )}
          </span>
          {validation?.isValid === true && (
            <Tag tone="good">
              <Icon name="check" size={12} /> valid
            </Tag>
          )}
        </div>
      </form>
      {started?.ended !== undefined ? (
        <EndedCall key={run} call={started} onCorrect={onCorrect} />
      ) : (
        run !== undefined && <FollowedCall key={run} run={run} isNew={started !== undefined} onCorrect={onCorrect} />
      )}
    </div>
  )
}

type OnCorrect = (value: unknown) => void

/** Outcome of a fast call, from the response to the request that started the call. */
function EndedCall({ call: { run, ended }, onCorrect }: { readonly call: StartedCall; readonly onCorrect: OnCorrect }) {
  const timeline = useMemo(() => timelineOf(ended?.parts ?? []), [ended])
  return <Outcome run={run} timeline={timeline} summary={timeline.summary} text={ended?.text} onCorrect={onCorrect} />
}

function FollowedCall({
  run,
  isNew,
  onCorrect,
}: {
  readonly run: string
  readonly isNew: boolean
  readonly onCorrect: OnCorrect
}) {
  const { timeline } = useFeed(run)
  const runs = useStudio(({ runs }) => runs)
  const listed = useSummary(run)
  const summary = timeline.summary ?? listed
  const status = summary?.status
  const isEnded = status !== undefined && status !== 'running' && status !== 'waiting'
  const { value: record } = useLoaded(`text:${run}:${isEnded}`, async () =>
    isEnded || !isNew ? api.record(run) : undefined,
  )
  if (timeline.roots.length === 0 && listed === undefined) {
    if (runs === undefined || isNew || record !== undefined) return <Loading label="Waiting for the outcome" />
    return <p className="notice">The studio no longer stores the last call. Call the tool again.</p>
  }
  return <Outcome run={run} timeline={timeline} summary={summary} text={record?.text} onCorrect={onCorrect} />
}

function Outcome({
  run,
  timeline,
  summary,
  text,
  onCorrect,
}: {
  readonly run: string
  readonly timeline: Timeline
  readonly summary: RunSummary | undefined
  readonly text: string | undefined
  readonly onCorrect: OnCorrect
}) {
  const root = timeline.roots.find((node) => node.kind === 'call')
  return (
    <section className="card" aria-label="Outcome" data-run={run}>
      <div className="card-head">
        <h3>Outcome</h3>
        {root !== undefined && <CallFacts call={root} />}
        {summary?.status === 'running' && (
          <Button size="compact-xs" variant="default" onClick={() => void api.cancel(run)}>
            Cancel
          </Button>
        )}
        <a className="link card-end" href={linkTo(['runs', run])}>
          Open in Runs
        </a>
      </div>
      {summary?.status === 'waiting' && <PendingList run={summary} />}
      {root !== undefined && <OutcomeView call={root} text={text} onCorrect={onCorrect} />}
      {root !== undefined && root.children.length > 0 && (
        <p className="dim">This call started further calls. Open it in Runs to see them.</p>
      )}
    </section>
  )
}

function Contract({ tool }: { readonly tool: ToolDetails }) {
  const { declaration, arguments: schema, result, updates, failures, serverOwned } = tool
  const schemas = [
    ['Arguments', schema],
    ['Result', result],
    ...(updates === undefined ? [] : [['Updates', updates] as const]),
  ] as const
  return (
    <div className="stack">
      <section className="card">
        <div className="card-head">
          <h3>TypeScript</h3>
        </div>
        <Code text={declaration} label="declaration" />
      </section>
      {failures.length > 0 && (
        <section className="card">
          <div className="card-head">
            <h3>Failures</h3>
          </div>
          <ul className="plain">
            {failures.map(({ name, hint, schema: data }) => (
              <li key={name}>
                <Tag tone="bad">{name}</Tag> {hint}
                {data !== undefined && <Code text={jsonText(data)} label={`schema of ${name}`} />}
              </li>
            ))}
          </ul>
        </section>
      )}
      {serverOwned.length > 0 && (
        <section className="card">
          <div className="card-head">
            <h3>Fields that the runtime fills</h3>
          </div>
          <ul className="plain">
            {serverOwned.map(({ field, from }) => (
              <li key={field}>
                <code>{field}</code> <span className="dim">from</span> <code>{from}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {schemas.map(([name, each]) => (
        <details key={name} className="card details" open={name === 'Arguments'}>
          <summary>JSON Schema: {name}</summary>
          <Code text={jsonText(each)} label={`schema of ${name}`} />
        </details>
      ))}
    </div>
  )
}

function Definitions({ tool }: { readonly tool: ToolDetails }) {
  const [vendor, setVendor] = useState(tool.definitions[0]?.vendor)
  const shown = tool.definitions.find((each) => each.vendor === vendor)
  if (shown === undefined) {
    return <Empty icon="contract" title="No vendor accepts the schema of this tool" />
  }
  return (
    <section className="card">
      <div className="vendors" role="tablist" aria-label="Vendor">
        {tool.definitions.map(({ vendor: name, tokens }) => (
          <UnstyledButton
            key={name}
            role="tab"
            aria-selected={name === vendor}
            className="vendor"
            onClick={() => setVendor(name)}
          >
            <b>{VENDORS[name] ?? name}</b>
            <span>{tokens === undefined ? 'tokens unknown' : `${count(tokens)} tokens`}</span>
          </UnstyledButton>
        ))}
      </div>
      <Code text={jsonText(shown.definition)} label={`definition for ${VENDORS[shown.vendor] ?? shown.vendor}`} />
    </section>
  )
}
