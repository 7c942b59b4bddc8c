import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

const dark: MantineColorsTuple = [
  '#e7e9ee',
  '#c5cad4',
  '#a3abb9',
  '#78818f',
  '#3b424e',
  '#2b313b',
  '#20252d',
  '#171b21',
  '#101318',
  '#0b0d11',
]

/** Theme of the component library, with small spacing and system fonts. */
export const theme = createTheme({
  colors: { dark },
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  defaultRadius: 'sm',
  fontSizes: { xs: '11.5px', sm: '13px', md: '14px', lg: '16px', xl: '18px' },
  components: {
    TextInput: { defaultProps: { size: 'sm' } },
    Button: { defaultProps: { size: 'sm' } },
    Tabs: { defaultProps: { color: 'indigo' } },
  },
})

/** Colours of the light and dark theme. The contrast of texts is at least 4.5:1. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f7f8fa',
    '--mantine-color-text': '#1c2128',
    '--mantine-color-dimmed': '#59636f',
    '--mantine-color-error': '#c2255c',
    '--mantine-color-placeholder': '#646d79',
    '--mantine-color-default-border': '#d5dae1',
    '--panel': '#ffffff',
    '--sunken': '#f1f3f6',
    '--line': '#e2e6eb',
    '--accent': '#3b5bdb',
    '--accent-soft': '#e9edfd',
    '--good': '#1a6e3c',
    '--good-soft': '#dff4e6',
    '--bad': '#b3263c',
    '--bad-soft': '#fde6e9',
    '--warn': '#855400',
    '--warn-soft': '#fdf0d2',
    '--info': '#245aa8',
    '--info-soft': '#e2eefc',
    '--neutral-soft': '#e9ecf0',
  },
  dark: {
    '--mantine-color-body': '#101318',
    '--mantine-color-text': '#e3e6eb',
    '--mantine-color-dimmed': '#a3abb9',
    '--mantine-color-error': '#ff8fa3',
    '--mantine-color-placeholder': '#9199a6',
    '--mantine-color-default-border': '#343b46',
    '--panel': '#171b21',
    '--sunken': '#12161b',
    '--line': '#2a3039',
    '--accent': '#91a7ff',
    '--accent-soft': '#222a47',
    '--good': '#7bd99b',
    '--good-soft': '#17301f',
    '--bad': '#ff9dab',
    '--bad-soft': '#3d1c22',
    '--warn': '#f0c36d',
    '--warn-soft': '#352a14',
    '--info': '#8fc1ff',
    '--info-soft': '#182b42',
    '--neutral-soft': '#262c35',
  },
})
