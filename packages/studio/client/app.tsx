import { ActionIcon, Alert, MantineProvider, Menu, Popover, useMantineColorScheme } from '@mantine/core'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { RequestFailure } from './api.js'
import { ToolsPage } from './pages/tools.js'
import { Boundary, Failure, Icon, type IconName, Loading, Prose, Tag } from './parts/common.js'
import { linkTo, startStore, useChatLink, useRoute, useStudio } from './store.js'
import { theme, variables } from './theme.js'

const pages = {
  tools: ToolsPage,
  runs: lazy(async () => ({ default: (await import('./pages/runs.js')).RunsPage })),
  chat: lazy(async () => ({ default: (await import('./pages/chat.js')).ChatPage })),
  contract: lazy(async () => ({ default: (await import('./pages/contract.js')).ContractPage })),
  replay: lazy(async () => ({ default: (await import('./pages/replay.js')).ReplayPage })),
} as const

const TITLES: Readonly<Record<keyof typeof pages, string>> = {
  tools: 'Tools',
  runs: 'Runs',
  chat: 'Chat',
  contract: 'Contract',
  replay: 'Replay',
}

export function App() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <Shell />
    </MantineProvider>
  )
}

function Shell() {
  const { path, query } = useRoute()
  const project = useStudio(({ project }) => project)
  const error = useStudio((state) => state.error)
  const waiting = useStudio(({ runs }) => runs?.filter(({ status }) => status === 'waiting').length ?? 0)
  const name = (Object.keys(pages) as (keyof typeof pages)[]).find((each) => each === path[0]) ?? 'tools'
  // `useMemo` returns the same element, so that changes of runs do not render a page without runs.
  const page = useMemo(() => {
    const Page = pages[name]
    return <Page />
  }, [name])
  const chatLink = useChatLink()
  useEffect(startStore, [])
  useEffect(() => {
    document.title = `${TITLES[name]} · ${project?.name ?? 'toolgen studio'}`
  }, [name, project?.name])
  useEffect(() => {
    const focusSearch = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement
      if (event.key !== '/' || target.closest('input, textarea, [contenteditable]') !== null) return
      const search = document.getElementById('search')
      if (search === null) return
      event.preventDefault()
      search.focus()
    }
    document.addEventListener('keydown', focusSearch)
    return () => document.removeEventListener('keydown', focusSearch)
  }, [])
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header className="top">
        <a className="brand" href={linkTo(['tools'])} aria-label="toolgen">
          <Logo />
          <span className="brand-name">toolgen</span>
        </a>
        <h1 className="project" title={project?.name}>
          {project?.name}
        </h1>
        <div className="top-end">
          {project?.canCall === false && (
            <span title={project.reason}>
              <Tag tone="warn">no calls</Tag>
            </span>
          )}
          <ConnectionState />
          <Shortcuts />
          <ThemeSwitch />
        </div>
      </header>
      <nav className="rail" aria-label="Pages">
        {(Object.keys(pages) as (keyof typeof pages)[]).map((each) => (
          <a
            key={each}
            className="rail-item"
            href={each === 'chat' ? chatLink : linkTo([each])}
            aria-current={each === name ? 'page' : undefined}
          >
            <Icon name={each as IconName} size={18} />
            <span>{TITLES[each]}</span>
            {each === 'runs' && waiting > 0 && (
              <span className="rail-count" title={`${waiting} waiting for an answer`}>
                {waiting}
              </span>
            )}
          </a>
        ))}
      </nav>
      <main id="main" className="main" tabIndex={-1}>
        {error?.status === 401 && project !== undefined && <Failure error={error} />}
        <Problems />
        {error !== undefined && project === undefined ? (
          <Failure error={error} retry={() => window.location.reload()} />
        ) : (
          // `key` unmounts the last page during the load of the next page. A mounted last page would read the address of the next page.
          <Boundary
            key={name}
            address={linkTo(path, Object.fromEntries(query))}
            fallback={<Failure error={BROKEN} retry={() => window.location.reload()} />}
          >
            <Suspense fallback={<Loading label="Loading the page" />}>{page}</Suspense>
          </Boundary>
        )}
      </main>
    </div>
  )
}

/** Error that the studio shows if React cannot render a page. */
const BROKEN = new RequestFailure(
  0,
  'The page cannot be shown.',
  'Open another page, or reload. The console of the browser shows the error.',
)

function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" className="logo-box" />
      <path d="M7 8.5h10M12 8.5V17" className="logo-line" />
      <circle cx="17" cy="16" r="1.6" className="logo-dot" />
    </svg>
  )
}

const CONNECTIONS = { connecting: 'connecting', open: 'connected', lost: 'reconnecting' } as const

function ConnectionState() {
  const connection = useStudio((state) => state.connection)
  const error = useStudio((state) => state.error)
  const text = error?.status === 401 ? 'disconnected' : CONNECTIONS[connection]
  return (
    <span className={`connection connection-${connection}`} role="status" data-connection={connection} title={text}>
      <span className={connection === 'open' ? 'dot' : 'dot pulse'} aria-hidden="true" />
      <span className="connection-text">{text}</span>
    </span>
  )
}

const SHORTCUTS = [
  ['Search the tools or runs', ['/']],
  ['Call the tool', ['Ctrl', 'Enter']],
  ['Send a message or an answer', ['Enter']],
  ['Add a line to it', ['Shift', 'Enter']],
  ['Show this list', ['?']],
] as const

function Shortcuts() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const toggle = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement
      if (event.key === '?' && target.closest('input, textarea, [contenteditable]') === null) setOpen((last) => !last)
    }
    document.addEventListener('keydown', toggle)
    return () => document.removeEventListener('keydown', toggle)
  }, [])
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" aria-label="Keyboard shortcuts" onClick={() => setOpen(!isOpen)}>
          <Icon name="keyboard" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Keyboard shortcuts">
        <dl className="shortcuts">
          {SHORTCUTS.map(([effect, keys]) => (
            <div key={effect}>
              <dt>{effect}</dt>
              <dd>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </Popover.Dropdown>
    </Popover>
  )
}

const SCHEMES = [
  ['light', 'Light', 'sun'],
  ['dark', 'Dark', 'moon'],
  ['auto', 'System', 'screen'],
] as const

function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const current = SCHEMES.find(([scheme]) => scheme === colorScheme) ?? SCHEMES[2]
  return (
    <Menu position="bottom-end" withinPortal={false} width={140}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Theme: ${current[1]}`}>
          <Icon name={current[2]} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(([scheme, label, icon]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={icon} size={14} />}
            rightSection={scheme === colorScheme ? <Icon name="check" size={14} /> : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Problems() {
  const project = useStudio(({ project }) => project)
  if (project === undefined || project.problems.length === 0) return null
  const errors = project.problems.filter(({ severity }) => severity === 'error').length
  const title =
    errors > 0 ? `The project has ${errors === 1 ? 'an error' : `${errors} errors`}` : 'The project has warnings'
  return (
    <Alert
      className="problems"
      color={errors > 0 ? 'red' : 'yellow'}
      variant="light"
      icon={<Icon name="warn" />}
      title={title}
      role="alert"
    >
      <ul className="plain">
        {project.problems.map(({ code, message, next, place }) => (
          <li key={`${place}${message}`}>
            {code !== undefined && <code>{code}</code>} <Prose text={message} />
            {place !== undefined && (
              <div>
                Location: <span className="mono">{place}</span>
              </div>
            )}
            {next !== undefined && (
              <div>
                <Prose text={next} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Alert>
  )
}
