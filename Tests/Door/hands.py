"""Two ways to use a page: with a pointer, and with the keyboard alone."""

import time


class Stuck(Exception):
    """A page cannot be used as it should be."""


class Pointer:
    """Clicks and fills in, which is fast."""

    name = "pointer"

    def fill(self, field, text):
        field.fill(text)

    def choose(self, field, label):
        field.select_option(label=label)

    def check(self, box):
        box.check()

    def press(self, control):
        # A button that signs is disabled until it was in view for a second; click() waits for that.
        control.scroll_into_view_if_needed()
        control.click()


class Keyboard:
    """Reaches every control by Tab, types with keys, and demands that the focus can be seen."""

    name = "keyboard"

    def reach(self, control):
        page = control.page
        # A button that signs is disabled until it was in view for a second.
        control.scroll_into_view_if_needed()
        end = time.monotonic() + 10
        while not control.is_enabled() and time.monotonic() < end:
            time.sleep(0.05)
        handle = control.element_handle()
        # Twice through the page, because the first Tab may leave it.
        for _ in range(2 * page.locator("a, button, input, select, textarea, summary, [tabindex]").count() + 4):
            if handle.evaluate("(e) => e === document.activeElement"):
                break
            page.keyboard.press("Tab")
        else:
            raise Stuck(f"Tab does not reach {describe(handle)} on {page.url}")
        visible = handle.evaluate("""(e) => {
          const style = getComputedStyle(e);
          // `auto` is the ring of the browser itself.
          return style.outlineStyle === 'auto' || style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
        }""")
        if not visible:
            raise Stuck(f"the focus on {describe(handle)} of {page.url} cannot be seen")

    def fill(self, field, text):
        self.reach(field)
        field.page.keyboard.press("ControlOrMeta+a")
        field.page.keyboard.type(text)

    def choose(self, field, label):
        self.reach(field)
        field.page.keyboard.press("Home")
        for _ in range(field.locator("option").count()):
            if field.evaluate("(e) => e.selectedOptions[0].label") == label:
                return
            field.page.keyboard.press("ArrowDown")
        raise Stuck(f"the keys do not choose “{label}” on {field.page.url}")

    def check(self, box):
        if box.is_checked():
            return
        # Tab stops at one radio button of a group; the arrow keys lead to the others.
        if box.get_attribute("type") == "radio":
            group = box.page.locator(f"input[type=radio][name={box.get_attribute('name')!r}]")
            chosen = [each for each in group.all() if each.is_checked()]
            self.reach(chosen[0] if chosen else group.first)
            if not chosen:
                box.page.keyboard.press("Space")
            for _ in range(group.count()):
                if box.is_checked():
                    return
                box.page.keyboard.press("ArrowDown")
            raise Stuck(f"the keys do not choose {describe(box.element_handle())} on {box.page.url}")
        self.reach(box)
        box.page.keyboard.press("Space")

    def press(self, control):
        self.reach(control)
        control.page.keyboard.press("Enter")


def describe(handle):
    return handle.evaluate("(e) => (e.labels?.[0]?.textContent || e.textContent || e.value || e.tagName).trim()")[:60]
