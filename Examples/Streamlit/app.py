"""A Streamlit app that logs people in with Tenure."""

import streamlit as st

st.title("Forecast")
if not st.user.is_logged_in:
    st.button("Log in", on_click=st.login)
    st.stop()
st.write(f"Hello {st.user.get('email', 'there')}.")
st.button("Log out", on_click=st.logout)
