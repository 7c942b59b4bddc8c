import { useEffect, useState } from 'react'
import { api, followStream, type RunRecord, type RunSummary, type StudioPart } from './api.js'
import { useStudio } from './store.js'
import { Timeline } from './timeline.js'

export interface Feed {
  readonly timeline: Timeline
  // Increases with each change of `timeline`, because a change creates no new object.
  readonly version: number
}

const EMPTY: Feed = { timeline: new Timeline(), version: 0 }

export function timelineOf(parts: readonly StudioPart[]): Timeline {
  const timeline = new Timeline()
  for (const part of parts) timeline.add(part)
  return timeline
}

/** Returns `true` if a run will have no further parts. The application can resume its suspended runs, so these runs can have further parts. */
function isOver({ status, isOwn }: RunSummary): boolean {
  return status !== 'running' && status !== 'waiting' && (isOwn || status !== 'suspended')
}

/** Hook that loads the parts of a run, and receives new parts until the run ends. Renders at most once per animation frame. */
export function useFeed(id: string | undefined): Feed {
  const [feed, setFeed] = useState(EMPTY)
  useEffect(() => {
    if (id === undefined) return
    let timeline = new Timeline()
    let waiting: StudioPart[] = []
    let frame = 0
    const apply = (): void => {
      frame = 0
      for (const part of waiting) timeline.add(part)
      waiting = []
      setFeed((last) => ({ timeline, version: last.version + 1 }))
      if (timeline.removal !== undefined || (timeline.summary !== undefined && isOver(timeline.summary))) stop()
    }
    const stop = followStream(`runs/${encodeURIComponent(id)}/parts`, {
      message: (data) => {
        const part = data as StudioPart
        waiting.push(part)
        if (frame === 0) frame = requestAnimationFrame(apply)
        if (part.kind !== 'state' && part.kind !== 'removed') return
        cancelAnimationFrame(frame)
        apply()
      },
      open: (isNew) => {
        if (!isNew) return
        timeline = new Timeline()
        waiting = []
      },
    })
    return () => {
      cancelAnimationFrame(frame)
      stop()
      setFeed(EMPTY)
    }
  }, [id])
  return feed
}

type Timelines = ReadonlyMap<string, Timeline>

/** Hook that loads the timelines of the earlier runs of a conversation, one by one. Skips runs that the server no longer stores. */
export function useEarlier(earlier: RunRecord['earlier']): Timelines {
  const runs = useStudio(({ runs }) => runs)
  const [timelines, setTimelines] = useState<Timelines>(new Map())
  const next = earlier.findLast(({ run }) => !timelines.has(run) && runs?.some(({ id }) => id === run))?.run
  useEffect(() => {
    if (next === undefined) return
    let isCurrent = true
    const load = async (): Promise<void> => {
      // Ignores an error, because the server can discard the run in the meantime.
      const parts = await api.parts(next).catch(() => [])
      if (isCurrent) setTimelines((loaded) => new Map([...loaded, [next, timelineOf(parts)]]))
    }
    void load()
    return () => {
      isCurrent = false
    }
  }, [next])
  return timelines
}
