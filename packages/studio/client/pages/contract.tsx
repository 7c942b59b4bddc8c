import { Button, Tabs, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, type ContractReport, type DriftReport, type RequestFailure, type ServerDrift } from '../api.js'
import {
  Code,
  count,
  Details,
  Empty,
  Failure,
  Loading,
  Prose,
  plural,
  Tag,
  type Tone,
  time,
  VENDORS,
} from '../parts/common.js'
import { failureOf, linkTo, open, useLoaded, useRoute, useStudio } from '../store.js'

const TITLES: Readonly<Record<ContractReport, string>> = {
  lint: 'Lint',
  tokens: 'Tokens',
  diff: 'Changes',
  coverage: 'Service methods',
  drift: 'MCP servers',
}

export function ContractPage() {
  const project = useStudio(({ project }) => project)
  const { path, query } = useRoute()
  if (project === undefined) return <Loading label="Loading the project" />
  if (project.reports.length === 0) {
    return (
      <Empty icon="contract" title="This studio has no reports">
        Start it with <code>toolgen dev</code> in the folder of the project.
      </Empty>
    )
  }
  const report = project.reports.find((name) => name === path[1]) ?? project.reports[0]
  const base = query.get('base') ?? 'HEAD'
  return (
    <article className="page">
      <header className="page-head">
        <h2>Contract</h2>
      </header>
      <Tabs value={report} onChange={(name) => name !== null && open(linkTo(['contract', name]))} keepMounted={false}>
        <Tabs.List>
          {project.reports.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {TITLES[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {project.reports.map((name) => (
          <Tabs.Panel key={name} value={name}>
            {name === 'diff' && <Revision key={base} base={base} />}
            {name === 'drift' ? (
              <Drift />
            ) : (
              <Report name={name} base={name === 'diff' ? base : undefined} generation={project.generation} />
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </article>
  )
}

function Revision({ base }: { readonly base: string }) {
  const [text, setText] = useState(base)
  return (
    <form
      className="row revision"
      onSubmit={(event) => {
        event.preventDefault()
        open(linkTo(['contract', 'diff'], { base: text }))
      }}
    >
      <TextInput
        label="Git revision"
        description="The contract of this revision is compared with that on disk."
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" disabled={text.trim() === ''}>
        Compare
      </Button>
    </form>
  )
}

/** JSON output of a `toolgen` command. All properties are optional, because commands of older versions omit some of them. */
interface Output {
  readonly diagnostics?: readonly Diagnostic[]
  readonly suppressed?: readonly { readonly rule: string; readonly message: string; readonly reason: string }[]
  readonly agents?: readonly TokenGroup[]
  readonly encoding?: string
  /** Vendor whose format the command used to count tokens of tool definitions, such as `openai`. */
  readonly as?: string
  readonly counts?: Readonly<Record<string, number>>
  readonly changes?: readonly Change[]
  readonly tools?: readonly CoveredTool[]
  readonly transforms?: readonly { readonly file: string; readonly text: string }[]
}

interface CoveredPart {
  readonly verdict: string
  readonly reason?: string
}

interface CoveredTool {
  readonly agent: string
  readonly tool: string
  readonly method: string
  readonly payload: CoveredPart
  readonly updates?: CoveredPart
  readonly result: CoveredPart
}

interface Diagnostic {
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly next?: string
  readonly location?: { readonly file: string; readonly line: number; readonly column: number }
}

interface TokenGroup {
  readonly name: string
  readonly kind: string
  readonly tokens: number
  readonly instructions?: number
  readonly tools: readonly {
    readonly tool: string
    readonly tokens: number
    readonly description: number
    readonly schema: number
    readonly savings: readonly { readonly what: string; readonly tokens: number }[]
  }[]
}

interface Change {
  readonly rule: string
  readonly category: string
  readonly severity: 'breaking' | 'visible' | 'safe'
  readonly certain: boolean
  readonly message: string
  readonly tool?: string
  readonly before?: unknown
  readonly after?: unknown
  readonly witness?: unknown
}

function Report({
  name,
  base,
  generation,
}: {
  readonly name: Exclude<ContractReport, 'drift'>
  readonly base?: string
  readonly generation: number
}) {
  const { value, error, isLoading, reload } = useLoaded(`report:${name}:${base}:${generation}`, () =>
    api.report(name, base),
  )
  if (error !== undefined) return <Failure error={error} retry={reload} />
  if (value === undefined || isLoading) return <Loading label="Computing the report" />
  const output = value as Output
  switch (name) {
    case 'lint':
      return <Lint output={output} />
    case 'tokens':
      return <Tokens output={output} />
    case 'diff':
      return <Changes output={output} base={base ?? ''} />
    case 'coverage':
      return <Coverage output={output} />
  }
}

function Lint({ output: { diagnostics = [], suppressed = [] } }: { readonly output: Output }) {
  return (
    <div className="stack">
      {diagnostics.length === 0 && (
        <Empty icon="check" title="Lint found nothing">
          The rules check what makes tools hard to use for models.
        </Empty>
      )}
      {diagnostics.length > 0 && <Findings diagnostics={diagnostics} />}
      {suppressed.length > 0 && (
        <details className="card details">
          <summary>{plural(suppressed.length, 'suppressed finding')}</summary>
          <ul className="plain">
            {suppressed.map(({ rule, message, reason }) => (
              <li key={rule + message}>
                <code>{rule}</code> <Prose text={message} /> <span className="dim">Reason: {reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Findings({ diagnostics }: { readonly diagnostics: readonly Diagnostic[] }) {
  return (
    <ul className="findings">
      {diagnostics.map(({ code, severity, message, next, location }) => (
        <li key={`${code}${location?.line}${message}`} className="card finding">
          <div className="row">
            <Tag tone={severity === 'error' ? 'bad' : 'warn'}>{severity}</Tag>
            <code>{code}</code>
            {location !== undefined && (
              <span className="mono dim finding-place">
                {location.file}:{location.line}:{location.column}
              </span>
            )}
          </div>
          <p>
            <Prose text={message} />
          </p>
          {next !== undefined && (
            <p className="dim">
              <Prose text={next} />
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

function requestTokens({ tokens, instructions = 0 }: TokenGroup): number {
  return tokens + instructions
}

function Tokens({ output: { agents = [], encoding, as } }: { readonly output: Output }) {
  if (agents.length === 0) return <Empty icon="contract" title="This project has no tools" />
  const most = Math.max(...agents.map(requestTokens), 1)
  return (
    <div className="stack">
      <p className="dim">
        Tokens of the tool definitions and instructions that models read in each request
        {as !== undefined && `, in the format of ${VENDORS[as] ?? as}`}
        {encoding !== undefined && `, counted with ${encoding}`}.
      </p>
      {agents.map((group) => (
        <TokenCard key={`${group.kind}:${group.name}`} group={group} most={most} />
      ))}
    </div>
  )
}

function TokenCard({ group, most }: { readonly group: TokenGroup; readonly most: number }) {
  const { name, kind, instructions, tools } = group
  const whole = requestTokens(group)
  // Tokens of the array around the definitions: the tokens of all definitions together, minus the tokens of the single definitions.
  const array = group.tokens - tools.reduce((sum, { tokens }) => sum + tokens, 0)
  return (
    <section className="card" aria-label={name}>
      <div className="card-head">
        <h3>{name}</h3>
        <Tag>{kind}</Tag>
        <span className="card-end token-sum">{count(whole)} tokens</span>
      </div>
      <span className="meter meter-whole" aria-hidden="true">
        <span style={{ width: `${(whole / most) * 100}%` }} />
      </span>
      <table className="bars">
        <thead>
          <tr>
            <th scope="col">Part of the request</th>
            <th scope="col">Share</th>
            <th scope="col" className="bars-number">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {instructions !== undefined && <BarRow name="Instructions" tokens={instructions} whole={whole} isGroup />}
          {toolsets(tools).map(([toolset, sum, members]) => (
            <FragmentRows key={toolset} toolset={toolset} sum={sum} whole={whole} tools={members} />
          ))}
          {array !== 0 && <BarRow name="Array of the definitions" tokens={array} whole={whole} isGroup />}
        </tbody>
      </table>
      {tools.some(({ savings }) => savings.length > 0) && (
        <Details title="Possible savings">
          <ul className="plain">
            {tools.flatMap(({ tool, savings }) =>
              savings.map(({ what, tokens: saved }) => (
                <li key={tool + what}>
                  <code>{tool}</code> <Prose text={what} /> <span className="dim">saves {plural(saved, 'token')}</span>
                </li>
              )),
            )}
          </ul>
        </Details>
      )}
    </section>
  )
}

type TokenTools = TokenGroup['tools']

function toolsets(tools: TokenTools): readonly (readonly [string, number, TokenTools])[] {
  return [...grouped(tools)].map(
    ([name, members]) => [name, members.reduce((sum, { tokens }) => sum + tokens, 0), members] as const,
  )
}

function toolsetOf({ tool }: TokenTools[number]): string {
  return tool.slice(0, tool.lastIndexOf('.'))
}

function grouped(tools: TokenTools): Map<string, TokenTools[number][]> {
  const groups = new Map<string, TokenTools[number][]>()
  for (const tool of tools) groups.set(toolsetOf(tool), [...(groups.get(toolsetOf(tool)) ?? []), tool])
  return groups
}

function FragmentRows({
  toolset,
  sum,
  whole,
  tools,
}: {
  readonly toolset: string
  readonly sum: number
  readonly whole: number
  readonly tools: TokenTools
}) {
  return (
    <>
      <BarRow name={toolset} tokens={sum} whole={whole} isGroup />
      {tools.map(({ tool, tokens }) => (
        <BarRow key={tool} name={tool.slice(toolset.length + 1)} tokens={tokens} whole={whole} />
      ))}
    </>
  )
}

function BarRow({
  name,
  tokens,
  whole,
  isGroup,
}: {
  readonly name: string
  readonly tokens: number
  readonly whole: number
  readonly isGroup?: boolean
}) {
  return (
    <tr className={isGroup === true ? 'bars-group' : undefined}>
      <th scope="row">{name}</th>
      <td className="bars-bar">
        <span className="meter" aria-hidden="true">
          <span style={{ width: `${Math.min((Math.max(tokens, 0) / Math.max(whole, 1)) * 100, 100)}%` }} />
        </span>
      </td>
      <td className="bars-number">{count(tokens)}</td>
    </tr>
  )
}

/** Colours of the severities of changes, most important first. */
const SEVERITIES: Readonly<Record<Change['severity'], Tone>> = { breaking: 'bad', visible: 'warn', safe: 'good' }

function byImportance(one: Change, other: Change): number {
  const rank = ({ severity, certain }: Change): number =>
    Object.keys(SEVERITIES).indexOf(severity) * 2 + (certain ? 0 : 1)
  return rank(one) - rank(other)
}

/** Labels and colours for the numbers of changes, most important first. */
const COUNTS = [
  ['breaking', 'breaking change', 'bad'],
  ['possiblyBreaking', 'possibly breaking change', 'bad'],
  ['visible', 'visible change', 'warn'],
  ['safe', 'safe change', 'good'],
] as const

/** Returns the message of a change without the old and new values, which the page shows below the message. */
function withoutValues({ message, before, after }: Change): string {
  if (before === undefined && after === undefined) return message
  const values =
    /: it (?:changed from|was added:|was removed:) .*?(\.(?: The change is uncertain:.*?\.)?(?: It was probably .*)?)$/s
  return message.replace(values, '$1')
}

function Changes({
  output: { counts = {}, changes = [], diagnostics = [] },
  base,
}: {
  readonly output: Output
  readonly base: string
}) {
  if (changes.length === 0) {
    return diagnostics.length > 0 ? (
      <Findings diagnostics={diagnostics} />
    ) : (
      <Empty icon="check" title={`The contract is the same as in ${base}`} />
    )
  }
  return (
    <div className="stack">
      <div className="row">
        {COUNTS.flatMap(([name, text, tone]) => {
          const number = counts[name] ?? 0
          return number === 0
            ? []
            : [
                <Tag key={name} tone={tone}>
                  {plural(number, text)}
                </Tag>,
              ]
        })}
      </div>
      <ul className="findings">
        {[...changes].sort(byImportance).map((change) => (
          <li key={change.rule + change.message} className="card finding">
            <div className="row">
              <Tag tone={SEVERITIES[change.severity]}>
                {change.certain ? change.severity : `possibly ${change.severity}`}
              </Tag>
              {change.tool !== undefined && <ChangedTool id={change.tool} />}
              <span className="dim">
                {change.rule} · {change.category}
              </span>
            </div>
            <p>
              <Prose text={withoutValues(change)} />
            </p>
            {(change.before !== undefined || change.after !== undefined) && (
              <p className="mono change">
                {change.before !== undefined && <del>{JSON.stringify(change.before)}</del>}{' '}
                {change.after !== undefined && <ins>{JSON.stringify(change.after)}</ins>}
              </p>
            )}
            {change.witness !== undefined && (
              <Details title="Value that shows the change">
                <Code text={JSON.stringify(change.witness, null, 2)} label="value" />
              </Details>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

function ChangedTool({ id }: { readonly id: string }) {
  const project = useStudio(({ project }) => project)
  const agents = project?.agents.filter(({ tools }) => tools.includes(id)) ?? []
  const [first] = agents
  if (first === undefined) return <code>{id}</code>
  return (
    <a className="link" href={linkTo(['tools', id], { agent: first.name })}>
      <code>{id}</code>
    </a>
  )
}

const VERDICTS: Readonly<Record<string, Tone>> = { pass: 'good', convert: 'info', mapper: 'warn' }

function Verdict({ part }: { readonly part: CoveredPart | undefined }) {
  if (part === undefined) return <span className="dim">—</span>
  return (
    <>
      <Tag tone={VERDICTS[part.verdict] ?? 'neutral'}>{part.verdict}</Tag>
      {part.reason !== undefined && <div className="dim">{part.reason}</div>}
    </>
  )
}

function Coverage({ output: { tools = [], transforms = [], diagnostics = [] } }: { readonly output: Output }) {
  if (tools.length === 0 && diagnostics.length === 0) {
    return (
      <Empty icon="contract" title="No tool calls a service method">
        To call methods of a client, use <code>fromService(toolset, client)</code>.
      </Empty>
    )
  }
  return (
    <div className="stack">
      <p className="dim">
        Each row shows the service method that a tool calls. Pass: the values fit. Convert: generated code converts
        them. Checked: the result is validated at run time. Mapper: the application must provide a function.
      </p>
      {diagnostics.length > 0 && <Findings diagnostics={diagnostics} />}
      {tools.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll the table with the keyboard.
        <section className="card scroll" tabIndex={0} aria-label="Tools and methods">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Tool</th>
                <th scope="col">Service method</th>
                <th scope="col">Payload</th>
                <th scope="col">Updates</th>
                <th scope="col">Result</th>
              </tr>
            </thead>
            <tbody>
              {tools.map(({ agent, tool, method, payload, updates, result }) => (
                <tr key={`${agent}:${tool}`}>
                  <th scope="row">
                    <code>{tool}</code> <span className="dim">{agent}</span>
                  </th>
                  <td>
                    <code>{method}</code>
                  </td>
                  <td>
                    <Verdict part={payload} />
                  </td>
                  <td>
                    <Verdict part={updates} />
                  </td>
                  <td>
                    <Verdict part={result} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {transforms.map(({ file, text }) => (
        <details key={file} className="card details">
          <summary className="mono">{file}</summary>
          <Code text={text} label={file} />
        </details>
      ))}
    </div>
  )
}

/** Report that compares MCP servers with their imported tools. Waits for a click, because the report starts the servers. */
function Drift() {
  const [report, setReport] = useState<{ readonly at: number; readonly value: DriftReport }>()
  const [isComparing, setComparing] = useState(false)
  const [error, setError] = useState<RequestFailure>()
  const compare = async (): Promise<void> => {
    setComparing(true)
    setError(undefined)
    try {
      setReport({ value: await api.drift(), at: Date.now() })
    } catch (reason) {
      setError(failureOf(reason))
    } finally {
      setComparing(false)
    }
  }
  return (
    <div className="stack">
      <p className="dim">
        Starts the MCP servers that the project imports, or connects to them, and compares their tools, prompts and
        resources with the snapshots.
      </p>
      <div className="row">
        <Button variant="default" loading={isComparing} onClick={() => void compare()}>
          Compare with the servers
        </Button>
        {report !== undefined && <span className="dim">Compared at {time(report.at)}</span>}
      </div>
      {error !== undefined && <Failure error={error} />}
      {report !== undefined && <Servers report={report.value} />}
    </div>
  )
}

const STATES: Readonly<Record<ServerDrift['state'], readonly [text: string, tone: Tone]>> = {
  same: ['unchanged', 'good'],
  drifted: ['changed', 'warn'],
  unreachable: ['unreachable', 'bad'],
  skipped: ['unknown server', 'neutral'],
}

function Servers({ report: { diagnostics, servers } }: { readonly report: DriftReport }) {
  if (servers.length === 0 && diagnostics.length === 0) {
    return (
      <Empty icon="contract" title="The project imports no tools from MCP servers">
        Import them with <code>toolgen import mcp</code>.
      </Empty>
    )
  }
  return (
    <>
      {diagnostics.length > 0 && <Findings diagnostics={diagnostics} />}
      {servers.map(({ toolset, snapshot, server, state, changes, diagnostics: found }) => {
        const others = found.filter(({ message }) => !changes.some((change) => change.message === message))
        const next = found.find(({ message }) => changes.some((change) => change.message === message))?.next
        return (
          <section key={toolset} className="card" aria-label={toolset} data-state={state}>
            <div className="card-head">
              <h3>{toolset}</h3>
              <Tag tone={STATES[state][1]}>{STATES[state][0]}</Tag>
              <span className="mono dim finding-place">{server ?? snapshot}</span>
            </div>
            {changes.length > 0 && (
              <ul className="plain">
                {changes.map(({ tool, kind, message }) => (
                  <li key={message}>
                    <code>{tool}</code> <Tag tone={kind === 'added' ? 'good' : 'warn'}>{kind}</Tag>{' '}
                    <Prose text={message} />
                  </li>
                ))}
              </ul>
            )}
            {next !== undefined && (
              <p className="dim">
                <Prose text={next} />
              </p>
            )}
            {others.length > 0 && <Findings diagnostics={others} />}
          </section>
        )
      })}
    </>
  )
}
