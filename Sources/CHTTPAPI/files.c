// Made by scripts/embed.
#include "CHTTPAPI.h"

// #embed is standard in C23 and an extension before it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_0[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/account.mustache"
};
static const unsigned char file_1[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/accounts.mustache"
};
static const unsigned char file_2[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/addressOffer.mustache"
};
static const unsigned char file_3[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/answer.mustache"
};
static const unsigned char file_4[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/answers.mustache"
};
static const unsigned char file_5[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/approvals.mustache"
};
static const unsigned char file_6[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/arm.mustache"
};
static const unsigned char file_7[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/claim.mustache"
};
static const unsigned char file_8[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/colleague.mustache"
};
static const unsigned char file_9[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/consent.mustache"
};
static const unsigned char file_10[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/consents.mustache"
};
static const unsigned char file_11[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/credentials.mustache"
};
static const unsigned char file_12[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/currentSecret.mustache"
};
static const unsigned char file_13[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/development.mustache"
};
static const unsigned char file_14[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/deviceMail.mustache"
};
static const unsigned char file_15[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/devices.mustache"
};
static const unsigned char file_16[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/ending.mustache"
};
static const unsigned char file_17[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/hidden.mustache"
};
static const unsigned char file_18[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/invite.mustache"
};
static const unsigned char file_19[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/key.mustache"
};
static const unsigned char file_20[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/layout.mustache"
};
static const unsigned char file_21[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/login.mustache"
};
static const unsigned char file_22[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/logout.mustache"
};
static const unsigned char file_23[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/mailLink.mustache"
};
static const unsigned char file_24[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/newAddress.mustache"
};
static const unsigned char file_25[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/newPasskey.mustache"
};
static const unsigned char file_26[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/notice.mustache"
};
static const unsigned char file_27[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/ownCredentials.mustache"
};
static const unsigned char file_28[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/passkey.mustache"
};
static const unsigned char file_29[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/passphrase.mustache"
};
static const unsigned char file_30[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/pick.mustache"
};
static const unsigned char file_31[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/picker.mustache"
};
static const unsigned char file_32[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/problems.mustache"
};
static const unsigned char file_33[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/recoveries.mustache"
};
static const unsigned char file_34[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/refusals.mustache"
};
static const unsigned char file_35[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/refused.mustache"
};
static const unsigned char file_36[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/register.mustache"
};
static const unsigned char file_37[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/registerChoice.mustache"
};
static const unsigned char file_38[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/sections.mustache"
};
static const unsigned char file_39[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/sessions.mustache"
};
static const unsigned char file_40[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/sign.mustache"
};
static const unsigned char file_41[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/start.mustache"
};
static const unsigned char file_42[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/turn.mustache"
};
static const unsigned char file_43[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/waiting.mustache"
};
static const unsigned char file_44[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/waitingEnd.mustache"
};
static const unsigned char file_45[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/waitingMails.mustache"
};
static const unsigned char file_46[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/wayBack.mustache"
};
static const unsigned char file_47[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/wayBackWait.mustache"
};
static const unsigned char file_48[] = {
#embed "../../Sources/HTTPAPI/Pages/Templates/wordRows.mustache"
};
static const unsigned char file_49[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/accounts.js"
};
static const unsigned char file_50[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/addpasskey.js"
};
static const unsigned char file_51[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/answer.js"
};
static const unsigned char file_52[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/arm.js"
};
static const unsigned char file_53[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/bypasskey.js"
};
static const unsigned char file_54[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/device.js"
};
static const unsigned char file_55[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/flow.js"
};
static const unsigned char file_56[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/invite.js"
};
static const unsigned char file_57[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/mark.svg"
};
static const unsigned char file_58[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/pages.css"
};
static const unsigned char file_59[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/passkey.js"
};
static const unsigned char file_60[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/pick.js"
};
static const unsigned char file_61[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/picker.js"
};
static const unsigned char file_62[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/prefill.js"
};
static const unsigned char file_63[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/questions.js"
};
static const unsigned char file_64[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/reader.js"
};
static const unsigned char file_65[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/renew.js"
};
static const unsigned char file_66[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/send.js"
};
static const unsigned char file_67[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/sign.js"
};
static const unsigned char file_68[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/turn.js"
};
static const unsigned char file_69[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/used.js"
};
static const unsigned char file_70[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/waiting.js"
};
static const unsigned char file_71[] = {
#embed "../../Sources/HTTPAPI/Pages/Assets/withpasskey.js"
};
static const unsigned char file_72[] = {
#embed "../../Sources/HTTPAPI/Pages/Words/english.words"
};
static const unsigned char file_73[] = {
#embed "../../Sources/HTTPAPI/Pages/Words/french.words"
};
static const unsigned char file_74[] = {
#embed "../../Sources/HTTPAPI/Pages/Words/german.words"
};
static const unsigned char file_75[] = {
#embed "../../Sources/HTTPAPI/Operations/Reference/reference.html"
};
static const unsigned char file_76[] = {
#embed "../../Sources/HTTPAPI/Operations/Reference/script.js"
};
static const unsigned char file_77[] = {
#embed "../../Sources/HTTPAPI/Operations/Reference/style.css"
};
static const unsigned char file_78[] = {
#embed "../../openapi.yaml"
};

static const char *const names[] = {
    "Templates/account.mustache",
    "Templates/accounts.mustache",
    "Templates/addressOffer.mustache",
    "Templates/answer.mustache",
    "Templates/answers.mustache",
    "Templates/approvals.mustache",
    "Templates/arm.mustache",
    "Templates/claim.mustache",
    "Templates/colleague.mustache",
    "Templates/consent.mustache",
    "Templates/consents.mustache",
    "Templates/credentials.mustache",
    "Templates/currentSecret.mustache",
    "Templates/development.mustache",
    "Templates/deviceMail.mustache",
    "Templates/devices.mustache",
    "Templates/ending.mustache",
    "Templates/hidden.mustache",
    "Templates/invite.mustache",
    "Templates/key.mustache",
    "Templates/layout.mustache",
    "Templates/login.mustache",
    "Templates/logout.mustache",
    "Templates/mailLink.mustache",
    "Templates/newAddress.mustache",
    "Templates/newPasskey.mustache",
    "Templates/notice.mustache",
    "Templates/ownCredentials.mustache",
    "Templates/passkey.mustache",
    "Templates/passphrase.mustache",
    "Templates/pick.mustache",
    "Templates/picker.mustache",
    "Templates/problems.mustache",
    "Templates/recoveries.mustache",
    "Templates/refusals.mustache",
    "Templates/refused.mustache",
    "Templates/register.mustache",
    "Templates/registerChoice.mustache",
    "Templates/sections.mustache",
    "Templates/sessions.mustache",
    "Templates/sign.mustache",
    "Templates/start.mustache",
    "Templates/turn.mustache",
    "Templates/waiting.mustache",
    "Templates/waitingEnd.mustache",
    "Templates/waitingMails.mustache",
    "Templates/wayBack.mustache",
    "Templates/wayBackWait.mustache",
    "Templates/wordRows.mustache",
    "Assets/accounts.js",
    "Assets/addpasskey.js",
    "Assets/answer.js",
    "Assets/arm.js",
    "Assets/bypasskey.js",
    "Assets/device.js",
    "Assets/flow.js",
    "Assets/invite.js",
    "Assets/mark.svg",
    "Assets/pages.css",
    "Assets/passkey.js",
    "Assets/pick.js",
    "Assets/picker.js",
    "Assets/prefill.js",
    "Assets/questions.js",
    "Assets/reader.js",
    "Assets/renew.js",
    "Assets/send.js",
    "Assets/sign.js",
    "Assets/turn.js",
    "Assets/used.js",
    "Assets/waiting.js",
    "Assets/withpasskey.js",
    "Words/english.words",
    "Words/french.words",
    "Words/german.words",
    "reference.html",
    "script.js",
    "style.css",
    "openapi.yaml",
};
static const unsigned char *const bytes[] = {
    file_0,
    file_1,
    file_2,
    file_3,
    file_4,
    file_5,
    file_6,
    file_7,
    file_8,
    file_9,
    file_10,
    file_11,
    file_12,
    file_13,
    file_14,
    file_15,
    file_16,
    file_17,
    file_18,
    file_19,
    file_20,
    file_21,
    file_22,
    file_23,
    file_24,
    file_25,
    file_26,
    file_27,
    file_28,
    file_29,
    file_30,
    file_31,
    file_32,
    file_33,
    file_34,
    file_35,
    file_36,
    file_37,
    file_38,
    file_39,
    file_40,
    file_41,
    file_42,
    file_43,
    file_44,
    file_45,
    file_46,
    file_47,
    file_48,
    file_49,
    file_50,
    file_51,
    file_52,
    file_53,
    file_54,
    file_55,
    file_56,
    file_57,
    file_58,
    file_59,
    file_60,
    file_61,
    file_62,
    file_63,
    file_64,
    file_65,
    file_66,
    file_67,
    file_68,
    file_69,
    file_70,
    file_71,
    file_72,
    file_73,
    file_74,
    file_75,
    file_76,
    file_77,
    file_78,
};
static const size_t sizes[] = {
    sizeof file_0,
    sizeof file_1,
    sizeof file_2,
    sizeof file_3,
    sizeof file_4,
    sizeof file_5,
    sizeof file_6,
    sizeof file_7,
    sizeof file_8,
    sizeof file_9,
    sizeof file_10,
    sizeof file_11,
    sizeof file_12,
    sizeof file_13,
    sizeof file_14,
    sizeof file_15,
    sizeof file_16,
    sizeof file_17,
    sizeof file_18,
    sizeof file_19,
    sizeof file_20,
    sizeof file_21,
    sizeof file_22,
    sizeof file_23,
    sizeof file_24,
    sizeof file_25,
    sizeof file_26,
    sizeof file_27,
    sizeof file_28,
    sizeof file_29,
    sizeof file_30,
    sizeof file_31,
    sizeof file_32,
    sizeof file_33,
    sizeof file_34,
    sizeof file_35,
    sizeof file_36,
    sizeof file_37,
    sizeof file_38,
    sizeof file_39,
    sizeof file_40,
    sizeof file_41,
    sizeof file_42,
    sizeof file_43,
    sizeof file_44,
    sizeof file_45,
    sizeof file_46,
    sizeof file_47,
    sizeof file_48,
    sizeof file_49,
    sizeof file_50,
    sizeof file_51,
    sizeof file_52,
    sizeof file_53,
    sizeof file_54,
    sizeof file_55,
    sizeof file_56,
    sizeof file_57,
    sizeof file_58,
    sizeof file_59,
    sizeof file_60,
    sizeof file_61,
    sizeof file_62,
    sizeof file_63,
    sizeof file_64,
    sizeof file_65,
    sizeof file_66,
    sizeof file_67,
    sizeof file_68,
    sizeof file_69,
    sizeof file_70,
    sizeof file_71,
    sizeof file_72,
    sizeof file_73,
    sizeof file_74,
    sizeof file_75,
    sizeof file_76,
    sizeof file_77,
    sizeof file_78,
};

const size_t httpapi_count = 79;
const char *const *const httpapi_names = names;
const unsigned char *const *const httpapi_bytes = bytes;
const size_t *const httpapi_sizes = sizes;
